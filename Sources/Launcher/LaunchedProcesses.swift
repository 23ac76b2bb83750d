/// What the processes of one launch can be told by, and those that they start in turn.
package enum LaunchedProcesses: Hashable, Sendable {
  /// They are in this unit, which is theirs alone.
  case unit(String)
  /// They are in the session of this leader, which is theirs alone.
  case session(leader: Int32)
  /// They are where the owner of this bus name is, which may have been there before.
  case owner(ofName: String)
}
