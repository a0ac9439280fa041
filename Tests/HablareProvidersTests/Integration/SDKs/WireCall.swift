#if os(macOS) || os(Linux)
import Foundation
import HTTPTypes
import Hablare
import HablareJSON
import HablareProviders
import HablareTestServers
import Testing

/// The parts of an HTTP call that must be equal, regardless of which program sends the call.
struct WireCall: Hashable, CustomStringConvertible {
    let line: String
    /// The fields that the services read.
    let fields: [String: String]
    /// The members of the body, or the parts of a form.
    var body: [String: ParameterValue]

    init(_ call: ReceivedCall) throws {
        let query = call.query.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value)" }
        line = "\(call.method) \(call.path)" + (query.isEmpty ? "" : "?\(query.joined(separator: "&"))")
        let type = call.field("content-type") ?? ""
        var fields = ["content-type": String(type.prefix { $0 != ";" })]
        for name in ["authorization", "x-api-key", "xi-api-key", "anthropic-version"] {
            fields[name] = call.field(name)
        }
        self.fields = fields
        guard !call.body.isEmpty else {
            body = [:]
            return
        }
        if type.hasPrefix("multipart/") {
            body = try MultipartReading((type, .bytes(call.body))).parts.reduce(into: [:]) { body, part in
                let (name, value) = try Self.read(part)
                body[name] = .array((body[name]?.elements ?? []) + [value])
            }
        } else {
            guard case .object(let members)? = ParameterValue(json: call.body) else {
                throw AIServiceError(.invalidResponse, "The body of \(line) is no JSON object.")
            }
            body = members
        }
    }

    /// Reads a part of a form: a text, or a file with its name and type. The lines of a batch are JSON.
    private static func read(_ part: MultipartReading.Part) throws -> (name: String, value: ParameterValue) {
        let head = part.head.joined(separator: "\n")
        let name = try #require(head.firstMatch(of: /[; ]name="?([^";]+)"?/)).output.1
        let text = String(decoding: part.content, as: UTF8.self)
        guard let file = head.firstMatch(of: /filename="?([^";]+)"?/)?.output.1 else {
            return (String(name), .string(text))
        }
        let type = head.firstMatch(of: /(?i)content-type: *(\S+)/)?.output.1 ?? ""
        let content = ParameterValue(json: part.content) ?? .string(part.content.base64EncodedString())
        return (String(name), ["file": .string(String(file)), "type": .string(String(type)), "content": content])
    }

    /// Returns the call without the differences of a list: members of the body, and fields of the head.
    func without(_ differences: [WireDifference]) -> WireCall {
        let names = Set(differences.map(\.name))
        var call = WireCall(line: line, fields: fields.filter { !names.contains($0.key) }, body: body)
        for name in names { call.body[name] = nil }
        return call
    }

    private init(line: String, fields: [String: String], body: [String: ParameterValue]) {
        (self.line, self.fields, self.body) = (line, fields, body)
    }

    var description: String {
        let members = body.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "\(line) \(fields.sorted { $0.key < $1.key }) \(members.joined(separator: ", "))"
    }
}

/// A difference between the vendor's library and our provider that is meant, and its reason.
struct WireDifference: Sendable {
    /// The member of the body, or the field of the head.
    let name: String
    let reason: String

    init(_ name: String, _ reason: String) { (self.name, self.reason) = (name, reason) }
}
#endif
