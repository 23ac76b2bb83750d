// Registers and unregisters, for Tests/tools/registration-faults.
//
//   registration-probe register|unregister HOME   status: 0 done, 1 refused and nothing changed,
//                                                 3 done and perhaps not durable, 4 anything else
//   registration-probe check HOME                 status: 0 if we are the handler of web links, else 1

import Desktop
import Files
import Glibc

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  print("usage: see the source")
  exit(99)
}
let home = arguments[2]
let directories = BaseDirectories(environment: [
  "HOME": home, "PATH": home + "/bin", "XDG_DATA_DIRS": home + "/share",
  "XDG_CONFIG_DIRS": home + "/etc", "XDG_CURRENT_DESKTOP": "GNOME",
])
let registrar = Registrar(directories, state: directories)

func status(_ change: () throws(RegistrationError) -> Void) -> Int32 {
  do throws(RegistrationError) {
    try change()
    return 0
  } catch {
    print(error)
    switch error {
    case .notInstalled, .file, .broken, .tooLong, .recordBroken, .notKept: return 1
    case .notDurable: return 3
    case .halfDone, .notRestored, .beaten, .stillDefault: return 4
    }
  }
}

switch arguments[1] {
case "register": exit(status { () throws(RegistrationError) in try registrar.register() })
case "unregister": exit(status { () throws(RegistrationError) in try registrar.unregister() })
default:
  let choices = ApplicationChoices(directories, browser: nil, shell: nil)
  exit(choices.isOursTheDefault ? 0 : 1)
}
