/// A command of the program.
enum Command: String, CaseIterable {
  case decide
  case explain
  case origin
  case open
  case active
  case instances
  case `import`
  case browser
  case shell
  case register
  case unregister
  case status
  case doctor
  case monitor
  case forget

  /// The options that it takes, besides `--help`.
  var options: [Option] {
    switch self {
    case .decide: [.json, .nul, .offline, .active, .instance]
    case .origin: [.json, .nul]
    case .explain, .status, .doctor: [.json]
    case .open: [.browser, .shell]
    case .active: [.json, .clear]
    case .instances: [.json, .label, .noVerify]
    case .browser, .shell: [.json, .reset]
    case .register: [.check, .json]
    case .forget: [.yes]
    case .import, .unregister, .monitor: []
    }
  }

  /// Whether it reads or writes files of the user, or starts the service, which does.
  func usesFiles(_ arguments: Arguments) -> Bool {
    switch self {
    case .origin: false
    case .decide: !arguments.has(.offline)
    // It has more to say where a link is lost, and a service that runs may open it.
    case .open: false
    default: true
    }
  }

  func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    switch self {
    case .decide: try DecideCommand.run(arguments)
    case .explain: try ExplainCommand.run(arguments)
    case .origin: try OriginCommand.run(arguments)
    case .open: try OpenCommand.run(arguments)
    case .active: try ActiveCommand.run(arguments)
    case .instances: try InstancesCommand.run(arguments)
    case .import: try ImportCommand.run(arguments)
    case .browser: try ApplicationCommand(role: .browser).run(arguments)
    case .shell: try ApplicationCommand(role: .shell).run(arguments)
    case .register: try RegisterCommand.register(arguments)
    case .unregister: try RegisterCommand.unregister(arguments)
    case .status: try StatusCommand.run(arguments)
    case .doctor: try DoctorCommand.run(arguments)
    case .monitor: try MonitorCommand.run(arguments)
    case .forget: try ForgetCommand.run(arguments)
    }
  }
}

/// An option of a command.
enum Option: String {
  case json = "--json"
  case nul = "-0"
  case offline = "--offline"
  case active = "--active"
  case instance = "--instance"
  case browser = "--browser"
  case check = "--check"
  case shell = "--shell"
  case clear = "--clear"
  case label = "--label"
  case noVerify = "--no-verify"
  case reset = "--reset"
  case yes = "--yes"

  var takesValue: Bool { self == .active || self == .instance || self == .label }
}
