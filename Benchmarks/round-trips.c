/* round-trips ROUNDS - how long one caller waits for an answer of two services that run: fs.sovereign.Navigation,
 * and floor-service, a C service that only gives a string back. Ping is what libsystemd answers by itself.
 *
 * All take turns in rounds of so many calls that noise falls on each of them. */
#include "measuring.h"

#include <systemd/sd-bus.h>

#define CONTENDERS 4
#define CALLS 200

static const struct {
    const char *label, *name, *path, *interface, *member, *types;
} contenders[CONTENDERS] = {
    {"C service: Ping", "fs.sovereign.Floor", "/fs/sovereign/Floor", "org.freedesktop.DBus.Peer", "Ping", ""},
    {"C service: Echo", "fs.sovereign.Floor", "/fs/sovereign/Floor", "fs.sovereign.Floor", "Echo", "s"},
    {"Navigation: Ping", "fs.sovereign.Navigation", "/fs/sovereign/Navigation", "org.freedesktop.DBus.Peer", "Ping", ""},
    {"Navigation: Decide", "fs.sovereign.Navigation", "/fs/sovereign/Navigation", "fs.sovereign.Navigation", "Decide", "s"},
};

/* A call, on average. */
static double measure(sd_bus *bus, int i) {
    double start = microseconds();

    for (int call = 0; call < CALLS; call++)
        check(sd_bus_call_method(
                bus, contenders[i].name, contenders[i].path, contenders[i].interface, contenders[i].member,
                NULL, NULL, contenders[i].types, "https://my.sovereign.example/a/path?with=query#and-fragment"),
            contenders[i].label);
    return (microseconds() - start) / CALLS;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 20;
    double *times[CONTENDERS], median[CONTENDERS];
    sd_bus *bus = NULL;

    if (rounds < 1)
        return 2;
    check(sd_bus_open_user(&bus), "bus");
    for (int i = 0; i < CONTENDERS; i++)
        times[i] = calloc(rounds, sizeof *times[i]);
    /* The first round starts the services and warms the caches. */
    for (int round = -1; round < rounds; round++)
        for (int i = 0; i < CONTENDERS; i++) {
            double time = measure(bus, i);
            if (round >= 0)
                times[i][round] = time;
        }

    printf("  %-22s %12s %8s %8s\n", "", "a call", "min", "max");
    for (int i = 0; i < CONTENDERS; i++) {
        qsort(times[i], rounds, sizeof *times[i], compare);
        median[i] = times[i][rounds / 2];
        printf("  %-22s %9.0f us %8.0f %8.0f\n", contenders[i].label, median[i], times[i][0],
            times[i][rounds - 1]);
    }
    printf("  Decide takes %.2f times as long as Ping, and %.2f times as long as Echo of the C service\n",
        median[3] / median[2], median[3] / median[1]);
    return 0;
}
