internal import Glibc
internal import NavigationService

exit(runService(arguments: CommandLine.arguments))
