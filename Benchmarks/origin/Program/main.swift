internal import Foundation

// bench-origin DIRECTORY < ALLOCATIONS: measures on the corpora of make-corpora. Under
// count-allocations it writes what it otherwise reads: the allocations of every pass.

let directory = URL(filePath: CommandLine.arguments[1])
let counter = AllocationCounter()
var allocations: [Int] = []
if counter == nil {
  while let line = readLine() { allocations.append(Int(line) ?? 0) }
}

var aims: [String] = []
for (name, title, aimed) in [
  ("homepages", "Homepages of Debian's packages", Aim.forASCII),
  ("homepages-port", "The same, each host with :8443", Aim.forASCII),
  ("same-origin", "The first, and half as many that have the active origin", Aim.forASCII),
  ("idn", "Hosts in many scripts, some percent-encoded", Aim.forIDN),
  ("hostile", "Hostile URLs", []),
] {
  let urls = try Corpus(contentsOf: directory.appending(path: name))
  let hosts = name == "idn" ? try Corpus(contentsOf: directory.appending(path: "idn-hosts")) : nil
  let contenders = Contender.all(on: urls, hosts: hosts)
  if let counter {
    for contender in contenders { print(counter.allocations(in: contender.pass)) }
    continue
  }

  let agreement = Agreement(on: urls)
  guard agreement.unexplained.isEmpty else {
    print("\(title): ada reads another origin in")
    for url in agreement.unexplained.prefix(20) { print("  \(url.debugDescription)") }
    exit(1)
  }
  print("\n\(title): \(urls.count) URLs", terminator: "")
  let explained = agreement.explained
  print(explained == 0 ? "" : "; ada reads \(explained) otherwise, for a known reason")
  let measurement = Measurement(contenders, count: urls.count, rounds: 150)
  measurement.printTable(allocations: Array(allocations.prefix(contenders.count)))
  allocations.removeFirst(contenders.count)
  aims += aimed.map { $0.report(measurement, on: name) }
}

if counter == nil {
  print("\nHow many times as long one takes as the other:")
  for aim in aims { print(aim) }
}
