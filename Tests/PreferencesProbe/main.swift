// Stores an active origin, or checks what is stored, for Tests/tools/save-faults.
//
//   preferences-probe save HOME ORIGIN   status: 0 saved, 1 refused, 3 saved and perhaps not durable
//   preferences-probe check HOME         saves once more and looks for what was left behind

import Files
import Glibc
import Navigation
import Preferences
import WebOrigin

func fail(_ message: String) -> Never {
  print("probe: \(message)")
  exit(99)
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { fail("usage") }
let store = PreferenceStore(
  BaseDirectories(environment: ["HOME": arguments[2]]), now: { 1_764_460_800_123 })

func save(_ origin: String, in store: PreferenceStore) throws(StoreError) -> Outcome {
  guard let origin = Origin(serialization: origin) else { fail("no origin: \(origin)") }
  var policy = store.settings.policy
  policy.active = origin
  var layer = store.user
  layer.adopt(policy, insteadOf: store.settings.policy)
  return try store.save(layer)
}

switch arguments[1] {
case "save":
  _ = store.reload()
  let status: Int32
  do throws(StoreError) {
    status = try save(arguments[3], in: store).durabilityError == nil ? 0 : 3
  } catch {
    status = 1
  }
  // What is in force now.
  print(store.settings.policy.active?.description ?? "")
  exit(status)

case "check":
  let paths = store.paths
  print(store.settings.policy.active?.description ?? "")
  print(store.settings.browser ?? "")
  // A later save works and sweeps up.
  _ = store.reload()
  do throws(StoreError) {
    _ = try save("https://later.example", in: store)
  } catch {
    fail("a later save failed: \(error)")
  }
  for directory in [parent(of: paths.file), parent(of: paths.good)] {
    let names = fileNames(in: directory).filter { !$0.hasPrefix("navigation.conf") }
    if !names.isEmpty { fail("left behind in \(directory): \(names)") }
  }

default:
  fail("usage")
}
