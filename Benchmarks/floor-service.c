/* The cheapest service that can answer: name fs.sovereign.Floor, one method Echo(s) -> s. */
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

static int echo(sd_bus_message *call, void *userdata, sd_bus_error *error) {
    const char *string;

    (void) userdata;
    (void) error;
    int result = sd_bus_message_read(call, "s", &string);
    if (result < 0)
        return result;
    return sd_bus_reply_method_return(call, "s", string);
}

static const sd_bus_vtable vtable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Echo", "s", "s", echo, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

int main(void) {
    sd_bus *bus = NULL;
    sd_event *loop = NULL;
    int result;

    if ((result = sd_event_default(&loop)) >= 0
        && (result = sd_bus_open_user(&bus)) >= 0
        && (result = sd_bus_set_exit_on_disconnect(bus, 1)) >= 0
        && (result = sd_bus_add_object_vtable(
                bus, NULL, "/fs/sovereign/Floor", "fs.sovereign.Floor", vtable, NULL)) >= 0
        && (result = sd_bus_request_name(bus, "fs.sovereign.Floor", 0)) >= 0
        && (result = sd_bus_attach_event(bus, loop, 0)) >= 0)
        result = sd_event_loop(loop);
    fprintf(stderr, "floor-service: %s\n", strerror(-result));
    return 1;
}
