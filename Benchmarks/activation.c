/* activation COUNT - lets the bus start two services in turn, COUNT times each, and prints how long the
 * first answer took and what the idle process occupies afterwards.
 *
 * One is floor-service, a C service that does nothing; the other is fs.sovereign.Navigation. */
#include "measuring.h"

#include <signal.h>
#include <stdint.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#define SERVICES 2
#define DBUS "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus"

static const struct {
    const char *label, *name, *path, *member;
} services[SERVICES] = {
    {"C no-op service", "fs.sovereign.Floor", "/fs/sovereign/Floor", "Echo"},
    {"Sovereign Navigation", "fs.sovereign.Navigation", "/fs/sovereign/Navigation", "Decide"},
};

/* In milliseconds. */
static double first_answer(sd_bus *bus, int i) {
    double start = microseconds();

    check(sd_bus_call_method(
            bus, services[i].name, services[i].path, services[i].name, services[i].member, NULL,
            NULL, "s", "https://my.sovereign.example/a/path?with=query#and-fragment"),
        services[i].name);
    return (microseconds() - start) / 1e3;
}

static pid_t owner(sd_bus *bus, const char *name) {
    sd_bus_message *reply = NULL;
    uint32_t pid = 0;

    if (sd_bus_call_method(bus, DBUS, "GetConnectionUnixProcessID", NULL, &reply, "s", name) >= 0)
        check(sd_bus_message_read(reply, "u", &pid), "GetConnectionUnixProcessID");
    sd_bus_message_unref(reply);
    return pid;
}

static void stop(sd_bus *bus, const char *name) {
    pid_t pid = owner(bus, name);

    if (pid == 0)
        return;
    check(kill(pid, SIGTERM) < 0 ? -errno : 0, "kill");
    while (owner(bus, name) == pid)
        usleep(5000);
    /* The process, and its unit if it has one, are to be gone too. */
    usleep(100000);
}

static void read_memory(pid_t pid, long *pss, long *dirty) {
    char path[64], line[256];
    long value;

    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
    FILE *file = fopen(path, "r");
    check(file ? 0 : -errno, path);
    *pss = *dirty = 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Pss: %ld", &value) == 1)
            *pss = value;
        else if (sscanf(line, "Private_Dirty: %ld", &value) == 1)
            *dirty = value;
    fclose(file);
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 20;
    double *times[SERVICES], median[SERVICES];
    sd_bus *bus = NULL;

    if (count < 1)
        return 2;
    check(sd_bus_open_user(&bus), "bus");
    for (int i = 0; i < SERVICES; i++)
        times[i] = calloc(count, sizeof *times[i]);
    /* The first round only warms the caches. */
    for (int round = -1; round < count; round++)
        for (int i = 0; i < SERVICES; i++) {
            stop(bus, services[i].name);
            double time = first_answer(bus, i);
            if (round >= 0)
                times[i][round] = time;
        }
    usleep(500000);

    printf("  %-22s %12s %8s %8s %8s %10s\n", "", "first answer", "min", "max", "idle PSS", "of it dirty");
    for (int i = 0; i < SERVICES; i++) {
        long pss, dirty;

        qsort(times[i], count, sizeof *times[i], compare);
        median[i] = times[i][count / 2];
        read_memory(owner(bus, services[i].name), &pss, &dirty);
        printf("  %-22s %9.1f ms %8.1f %8.1f %5.1f MB %8.2f MB\n", services[i].label, median[i],
            times[i][0], times[i][count - 1], pss / 1e3, dirty / 1e3);
        stop(bus, services[i].name);
    }
    printf("  the first answer takes %.2f times as long (medians of %d activations each)\n",
        median[1] / median[0], count);
    return 0;
}
