/* The D-Bus interfaces of the service, as tables for sd-bus. The handlers are implemented in Swift. */
#pragma once

#include <systemd/sd-bus.h>

/* fs.sovereign.Navigation */
int navigation_decide(sd_bus_message *message, void *service, sd_bus_error *error);
int navigation_decide_many(sd_bus_message *message, void *service, sd_bus_error *error);
int navigation_explain(sd_bus_message *message, void *service, sd_bus_error *error);
int navigation_open(sd_bus_message *message, void *service, sd_bus_error *error);
int navigation_set_active(sd_bus_message *message, void *service, sd_bus_error *error);
int navigation_add_instance(sd_bus_message *message, void *service, sd_bus_error *error);
int navigation_remove_instance(sd_bus_message *message, void *service, sd_bus_error *error);
int navigation_set_option(sd_bus_message *message, void *service, sd_bus_error *error);
int navigation_register(sd_bus_message *message, void *service, sd_bus_error *error);
int navigation_unregister(sd_bus_message *message, void *service, sd_bus_error *error);
int navigation_get_property(
    sd_bus *bus, const char *path, const char *interface, const char *property,
    sd_bus_message *reply, void *service, sd_bus_error *error);

/* org.freedesktop.Application */
int application_activate(sd_bus_message *message, void *service, sd_bus_error *error);
int application_open(sd_bus_message *message, void *service, sd_bus_error *error);
int application_activate_action(sd_bus_message *message, void *service, sd_bus_error *error);

/* Serves both interfaces at /fs/sovereign/Navigation. `service` reaches every handler. */
int navigation_export(sd_bus *bus, void *service);
