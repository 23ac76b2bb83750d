// NavigationClient
