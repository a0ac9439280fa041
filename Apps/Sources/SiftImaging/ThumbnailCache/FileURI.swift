/// URIs of files, as the freedesktop thumbnail specification wants them.
enum FileURI {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Returns `file://` and the path with the bytes escaped that GLib's `g_filename_to_uri` escapes. Programs find each
    /// other's thumbnails only if they write the same URI. The path is absolute, and need not be UTF-8.
    static func uri(ofPath path: [UInt8]) -> String {
        var uri = Array("file://".utf8)
        for byte in path {
            if isPlain(byte) {
                uri.append(byte)
            } else {
                uri += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: uri, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: plain.contains(byte)
        }
    }

    private static let plain = Set("!$&'()*+,-./:=@_~".utf8)
}
