import Foundation
public import Hablare
import HablareJSON

/// The result of a tool call: a text or an error. The model receives it.
public struct ToolResult: Sendable, Hashable {
    /// The kind of an error. You may define further codes.
    public struct ErrorCode: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code's text, which the model receives.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The text of the code.
        public var description: String { rawValue }

        /// There is no tool with that name.
        public static let unknownTool = Self(rawValue: "unknown_tool")
        /// The arguments do not satisfy the schema of the tool.
        public static let invalidArguments = Self(rawValue: "invalid_arguments")
        /// The call was not approved.
        public static let refused = Self(rawValue: "refused")
        /// The tool failed.
        public static let failed = Self(rawValue: "failed")
        /// The tool took longer than its time limit and was stopped. It is unknown how much of its work was done.
        public static let timeout = Self(rawValue: "timeout")
        /// The call was cancelled.
        public static let cancelled = Self(rawValue: "cancelled")
        /// The call was interrupted and did not run again. It is unknown how much of its work was done.
        public static let interrupted = Self(rawValue: "interrupted")
        /// The model requested more calls in one turn than the loop allows.
        public static let tooManyCalls = Self(rawValue: "too_many_calls")
    }

    /// The text of the result, or the message of the error.
    public var text: String
    /// The kind of the error, or `nil` if the call succeeded.
    public var error: ErrorCode?
    /// The cost of the call in millionths of a US dollar. 0 or more. Default: 0.
    public var costMicroDollars: Int64

    /// Creates the result of a successful call.
    public init(_ text: String, costMicroDollars: Int64 = 0) {
        self.text = text
        self.costMicroDollars = costMicroDollars
    }

    /// Creates the result of a successful call from a JSON value.
    ///
    /// - Throws: ``/Hablare/AIServiceError`` with code `invalidRequest` if a number is not finite.
    public init(json value: ParameterValue, costMicroDollars: Int64 = 0) throws(AIServiceError) {
        self.init(try value.jsonText(), costMicroDollars: costMicroDollars)
    }

    /// Returns an error that the model receives.
    public static func failure(_ code: ErrorCode, _ message: String) -> ToolResult {
        var result = ToolResult(message)
        result.error = code
        return result
    }

    /// The text that the model receives: the text of the result, or a JSON object for an error. In the object, the
    /// member `error` has the members `code` and `message`.
    public var content: String {
        guard let error else { return text }
        let value: ParameterValue = ["error": ["code": .string(error.rawValue), "message": .string(text)]]
        do throws(AIServiceError) {
            return try value.jsonText()
        } catch {
            return text  // unreachable: texts can be written as JSON
        }
    }

    /// Returns a copy whose text has at most this many bytes. A longer text is cut off between two characters, and a
    /// note with the original length is added.
    func bounded(to limit: Int) -> ToolResult {
        let count = text.utf8.count
        guard count > limit else { return self }
        var bounded = self
        let note = "\n[cut: the result has \(count) bytes]"
        var end = text.utf8.index(text.startIndex, offsetBy: max(0, limit - note.utf8.count))
        while end > text.startIndex, text.utf8[end] & 0xC0 == 0x80 { end = text.utf8.index(before: end) }
        bounded.text = text[..<end] + note
        return bounded
    }
}

extension ToolResult: ExpressibleByStringInterpolation {
    /// Creates the result of a successful call.
    public init(stringLiteral value: String) { self.init(value) }
}

/// An error that a tool throws to tell the model the reason of a failure.
public struct ToolFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason, as a text for the model. It is stored as the result of the call. It is never logged.
    public var message: String
    /// Creates an error.
    public init(_ message: String) { self.message = message }
    /// The reason.
    public var description: String { message }
}
