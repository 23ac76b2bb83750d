/// What an instance says of itself when it is asked for `/api/instance`: an object with `status`,
/// `product` and `instanceName`.
package struct InstanceAnswer: Hashable, Sendable {
  /// What the instance is called; empty where that is no label.
  package let name: String

  /// Accepted: `{"status":"ok","product":"sovereign","instanceName":"Home"}`, with whatever else.
  package init(_ bytes: [UInt8]) throws(InstanceAnswerError) {
    let result: Result<String, InstanceAnswerError>
    do throws(ShellStoreError) {
      result = try JSONValue.parse(bytes) { root in
        guard root["product"]?.string == "sovereign", let status = root["status"]?.string,
          let name = root["instanceName"]?.string
        else { return .failure(.otherProduct) }
        return status == "ok" ? .success(name) : .failure(.notReady)
      }
    } catch {
      throw .otherProduct
    }
    let name = try result.get().trimmed
    self.name = name.isUsableLabel ? name : ""
  }
}

/// Why an answer is not that of an instance.
package enum InstanceAnswerError: Error, Hashable, Sendable {
  /// It is something else, or no JSON at all.
  case otherProduct
  /// It is an instance, and does not say that it is well.
  case notReady
}

extension InstanceAnswerError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .otherProduct: "what answers there is no instance of Sovereign"
    case .notReady: "the instance says that it is not ready"
    }
  }
}
