// Launcher
