import Foundation
public import HTTPTypes
public import Hablare
import HablareJSON

/// One call of a service's API: what is done at which path below its base URL.
public struct ServiceRequest: Sendable {
    /// What is done.
    public var method: HTTPRequest.Method
    /// The path's segments below the base URL, as they are: `["chat", "completions"]`. Each is escaped.
    public var path: [String]
    /// What is asked beside the path.
    public var query: [(name: String, value: String)]
    /// Fields of this call, beside those of the dialect; they win.
    public var fields: HTTPFields
    /// What is sent.
    public var body: HTTPBody
    /// What kind of answer is taken: `application/json`, `audio` … An answer of another kind is refused, unless this is
    /// empty. Each is a whole media type, or its first part for all below it.
    public var accepts: [String]
    /// The largest answer that is taken, in bytes, where the whole of it is in memory. Default 64 MiB.
    public var maximumAnswerBytes: Int
    /// Statuses that are answers here, too, and no refusals, of whatever kind: 404, where somebody asks whether something
    /// is still there. Default: none.
    public var alsoTakes: Set<Int>
    /// Whether the service may charge for what it is asked here, so that a call which is lost may have cost something.
    /// Default: for every method but GET and HEAD, which ask for what is there.
    public var mayBeBilled: Bool

    /// Creates a call.
    public init(
        _ method: HTTPRequest.Method, _ path: [String], query: [(name: String, value: String)] = [],
        fields: HTTPFields = [:], body: HTTPBody = .none, accepts: [String] = [], maximumAnswerBytes: Int = 64 << 20,
        alsoTakes: Set<Int> = [], mayBeBilled: Bool? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
        self.accepts = accepts
        self.maximumAnswerBytes = maximumAnswerBytes
        self.alsoTakes = alsoTakes
        self.mayBeBilled = mayBeBilled ?? !method.isSafe
    }

    /// A call that sends a value as JSON.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a value that JSON cannot say: a number that is not
    ///   finite.
    public static func post(
        _ path: [String], query: [(name: String, value: String)] = [], json: ParameterValue, accepts: [String] = [],
        maximumAnswerBytes: Int = 64 << 20
    ) throws(AIServiceError) -> ServiceRequest {
        ServiceRequest(
            .post, path, query: query, fields: [.contentType: "application/json"], body: .bytes(try json.jsonData()),
            accepts: accepts, maximumAnswerBytes: maximumAnswerBytes)
    }

    /// A call that sends a form with files.
    public static func post(
        _ path: [String], query: [(name: String, value: String)] = [], form: MultipartForm, accepts: [String] = [],
        maximumAnswerBytes: Int = 64 << 20
    ) -> ServiceRequest {
        let (contentType, body) = form.encoded()
        return ServiceRequest(
            .post, path, query: query, fields: [.contentType: contentType], body: body, accepts: accepts,
            maximumAnswerBytes: maximumAnswerBytes)
    }

    /// A call that asks for something that is there, and costs nothing unless `mayBeBilled` says that it is the answer to
    /// work that does.
    public static func get(
        _ path: [String], query: [(name: String, value: String)] = [], accepts: [String] = ["application/json"],
        maximumAnswerBytes: Int = 64 << 20, alsoTakes: Set<Int> = [], mayBeBilled: Bool = false
    ) -> ServiceRequest {
        ServiceRequest(
            .get, path, query: query, accepts: accepts, maximumAnswerBytes: maximumAnswerBytes, alsoTakes: alsoTakes,
            mayBeBilled: mayBeBilled)
    }
}
