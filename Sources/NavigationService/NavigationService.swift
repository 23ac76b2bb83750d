// NavigationService
