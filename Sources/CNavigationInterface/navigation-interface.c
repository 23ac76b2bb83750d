#include "navigation-interface.h"

static const sd_bus_vtable navigation[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD_WITH_ARGS(
        "Decide", SD_BUS_ARGS("s", url), SD_BUS_RESULT("s", destination),
        navigation_decide, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD_WITH_ARGS(
        "DecideMany", SD_BUS_ARGS("as", urls), SD_BUS_RESULT("as", destinations),
        navigation_decide_many, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD_WITH_ARGS(
        "Explain", SD_BUS_ARGS("s", url), SD_BUS_RESULT("a{sv}", explanation),
        navigation_explain, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD_WITH_ARGS(
        "Open", SD_BUS_ARGS("s", url, "a{sv}", options), SD_BUS_RESULT("s", destination),
        navigation_open, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD_WITH_ARGS(
        "SetActive", SD_BUS_ARGS("s", url), SD_BUS_RESULT("s", origin),
        navigation_set_active, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD_WITH_ARGS(
        "AddInstance", SD_BUS_ARGS("s", url, "s", label, "a{sv}", options),
        SD_BUS_RESULT("s", origin),
        navigation_add_instance, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD_WITH_ARGS(
        "RemoveInstance", SD_BUS_ARGS("s", origin), SD_BUS_NO_RESULT,
        navigation_remove_instance, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD_WITH_ARGS(
        "SetOption", SD_BUS_ARGS("s", name, "s", value), SD_BUS_NO_RESULT,
        navigation_set_option, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD_WITH_ARGS(
        "Register", SD_BUS_NO_ARGS, SD_BUS_NO_RESULT, navigation_register,
        SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD_WITH_ARGS(
        "Unregister", SD_BUS_NO_ARGS, SD_BUS_NO_RESULT, navigation_unregister,
        SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_SIGNAL_WITH_ARGS("ActiveChanged", SD_BUS_ARGS("s", origin), 0),
    SD_BUS_PROPERTY(
        "ActiveOrigin", "s", navigation_get_property, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY(
        "Instances", "a(ssxa{sv})", navigation_get_property, 0,
        SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("Browser", "s", navigation_get_property, 0, 0),
    SD_BUS_PROPERTY("Shell", "s", navigation_get_property, 0, 0),
    SD_BUS_PROPERTY(
        "Registered", "b", navigation_get_property, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY(
        "Locked", "as", navigation_get_property, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
    SD_BUS_PROPERTY("Version", "u", navigation_get_property, 0, SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_VTABLE_END,
};

static const sd_bus_vtable application[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD_WITH_ARGS(
        "Activate", SD_BUS_ARGS("a{sv}", platform_data), SD_BUS_NO_RESULT,
        application_activate, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD_WITH_ARGS(
        "Open", SD_BUS_ARGS("as", uris, "a{sv}", platform_data), SD_BUS_NO_RESULT,
        application_open, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD_WITH_ARGS(
        "ActivateAction",
        SD_BUS_ARGS("s", action_name, "av", parameter, "a{sv}", platform_data), SD_BUS_NO_RESULT,
        application_activate_action, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

int navigation_export(sd_bus *bus, void *service) {
    static const char path[] = "/fs/sovereign/Navigation";

    int result = sd_bus_add_object_vtable(
        bus, NULL, path, "fs.sovereign.Navigation", navigation, service);
    if (result < 0)
        return result;
    return sd_bus_add_object_vtable(
        bus, NULL, path, "org.freedesktop.Application", application, service);
}
