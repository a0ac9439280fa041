import Foundation
import Hummingbird

/// The scripts, style sheets and images of an app and of the web layer, which are compiled into the program.
///
/// A target that uses the plugin `EmbedAssets` gets its `Assets` directory as `EmbeddedFiles.all`:
///
/// ```swift
/// let assets = try Assets(EmbeddedFiles.all)
/// ```
///
/// All files are served below one directory whose name is a hash of all contents, `/assets/HASH/stream.js`. So relative
/// imports between modules and from style sheets work, browsers keep every file for ever, and a new version of the
/// program has new addresses. Files of the web layer and of the app share the directory.
///
/// - Templates (`*.mustache`) are not served. ``Pages`` compiles them.
/// - Files in a directory `root` are served at the top, for example `root/service-worker.js` at `/service-worker.js`.
///   Browsers ask for them again each time. A service worker finds the other files by the address of the script that
///   registers it.
/// - Hidden files and tests (`*.test.js`) are left out.
public struct Assets: Sendable {
    /// A file as the plugin `EmbedAssets` writes it.
    public typealias EmbeddedFile = (path: String, contents: String, isBase64: Bool)

    /// The first part of every address: `/assets/HASH`.
    public let root: String

    /// The files below ``root``, by path.
    let files: [String: Asset]
    /// The files at the top, by name.
    let topFiles: [String: Asset]
    /// The templates' texts by name: the path without `.mustache`.
    let templates: [String: String]

    /// The paths of the files below ``root``.
    package var paths: [String] { files.keys.sorted() }

    /// Puts an app's files next to the web layer's.
    ///
    /// - Parameter files: The app's files.
    /// - Throws: ``AssetError`` if two files have the same path or a type is unknown.
    public init(_ files: [EmbeddedFile]) throws(AssetError) {
        try self.init(webLayer: EmbeddedFiles.all, app: files)
    }

    package init(webLayer: [EmbeddedFile], app: [EmbeddedFile]) throws(AssetError) {
        var files: [String: Asset] = [:]
        var topFiles: [String: Asset] = [:]
        var templates: [String: String] = [:]
        var hash = StableHash()
        var paths: Set<String> = []
        for file in (webLayer + app).sorted(by: { $0.path < $1.path }) {
            guard paths.insert(file.path).inserted else {
                throw AssetError(description: "Two assets have the path '\(file.path)'. Rename one.")
            }
            if file.path.hasSuffix(".mustache") {
                templates[String(file.path.dropLast(9))] = file.contents
                continue
            }
            guard let type = Asset.type(of: file.path) else {
                throw AssetError(description: "The asset '\(file.path)' has an unknown type.")
            }
            hash.combine(file.path)
            hash.combine(file.contents)
            let bytes = file.isBase64 ? Data(base64Encoded: file.contents) : Data(file.contents.utf8)
            let asset = Asset(bytes: ByteBuffer(bytes: bytes ?? Data()), type: type)
            if file.path.hasPrefix("root/") {
                topFiles[String(file.path.dropFirst(5))] = asset
            } else {
                files[file.path] = asset
            }
        }
        self.files = files
        self.topFiles = topFiles
        self.templates = templates
        root = "/assets/\(hash.text)"
    }

    /// Returns the address of a file, such as `/assets/HASH/sift.css`, or `nil` if there is no such file.
    ///
    /// - Parameter path: The path below the `Assets` directory. Templates write `{{asset sift.css}}` instead.
    public func address(of path: String) -> String? {
        files[path] == nil ? nil : "\(root)/\(path)"
    }
}

/// The reason why an app's assets cannot be served. It is an error of the program.
public struct AssetError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The sentence that says what is wrong and with which file.
    public let description: String

    package init(description: String) { self.description = description }
}

/// FNV-1a with 64 bits. It separates versions of a program and need not resist attacks, because the contents are ours.
struct StableHash {
    private var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The hash as 16 hexadecimal digits.
    var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    mutating func combine(_ text: String) {
        for byte in text.utf8 { add(byte) }
        add(0xFF)  // does not occur in UTF-8, so it separates texts
    }

    private mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
