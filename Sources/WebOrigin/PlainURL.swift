import CByteScan

/// An http(s) URL whose host is an ASCII name that needs no more than lower case: nearly all URLs.
///
/// One is found in a single pass that allocates nothing, 32 bytes at a time, and ends with the
/// authority. What is no plain URL, valid or not, is for ``URLParser`` to parse; of a plain one it
/// says the same.
///
/// Links to one site come with http and https, with and without a port or a path: a processor
/// foresees no branch on these, and a wrong guess costs as much as half the pass. So both sides are
/// computed where that is possible.
package struct PlainURL {
  /// The scheme is https, not http.
  let isHTTPS: Bool
  let hostEnd: Int
  let port: PortDigits

  @inline(__always)
  package init?(_ url: UnsafeBufferPointer<UInt8>) {
    guard let base = url.baseAddress, url.count >= Int(BYTE_SCAN_LEAST) else { return nil }
    let head = url.word(at: 0)
    // "https://" and "http://" as integers; bit 0x20 makes both letter cases equal.
    isHTTPS = head | 0x20_2020_2020 == 0x2F2F_3A73_7074_7468
    let isHTTP = (head | 0x2020_2020) & 0xFF_FFFF_FFFF_FFFF == 0x2F_2F3A_7074_7468
    guard isHTTPS != isHTTP else { return nil }

    // From where the host begins, or the last slash before it.
    let window = byte_scan(base, url.count, 7)
    let slash: UInt32 = isHTTPS ? 1 : 0
    let name = window.name | slash
    let length = (~UInt64(name)).trailingZeroBitCount
    let throughEnd = name ^ (name &+ 1)
    // An IPv4 address in any form ends in a label that begins with a digit, or in a dot: where a
    // label begins with anything but a letter, the URL is not plain.
    guard length < 32, window.odd & throughEnd & ~slash == 0 else { return nil }
    hostEnd = 7 &+ length

    if url.endsAuthority(at: hostEnd) {
      port = .ofScheme(isHTTPS: isHTTPS)
    } else {
      guard url[hostEnd] == UInt8(ascii: ":"), let port = PortDigits(after: hostEnd, in: url)
      else { return nil }
      self.port = port
    }
  }

  private var namedPort: PortDigits? {
    port == .ofScheme(isHTTPS: isHTTPS) ? nil : port
  }

  /// The origin; `url` are the bytes that it was found in.
  func origin(in url: UnsafeBufferPointer<UInt8>) -> Origin {
    let host = url[part: (isHTTPS ? 8 : 7)..<hostEnd]
    let name = String(unsafeUninitializedCapacity: host.count) { name in
      for index in host.indices { name[index] = host[index].lowercased }
      return host.count
    }
    return Origin(scheme: isHTTPS ? "https" : "http", host: name, port: namedPort?.number)
  }

  /// Appends the serialized origin; `url` are the bytes that it was found in.
  func appendOrigin(in url: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
    text.append(addingCapacity: hostEnd + 1 + PortDigits.most) { output in
      output.withUnsafeMutableBufferPointer { output, count in
        let output = UnsafeMutableRawBufferPointer(output)
        // Up to the end of the host the URL is its origin already, but for the case of its letters.
        // The last word overlaps the one before.
        let last = hostEnd - 8
        for offset in stride(from: 0, to: last, by: 8) {
          output.storeBytes(
            of: url.lowercasedWord(at: offset), toByteOffset: offset, as: UInt64.self)
        }
        output.storeBytes(of: url.lowercasedWord(at: last), toByteOffset: last, as: UInt64.self)
        count = hostEnd
      }
      if let port = namedPort {
        output.append(UInt8(ascii: ":"))
        for digit in port.digits { output.append(digit | 0x30) }
      }
    }
  }
}
