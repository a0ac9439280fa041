import Foundation
public import HTTPTypes
public import Hablare
import HablareJSON

/// A request to a service's API: a method and a path below its base URL.
public struct ServiceRequest: Sendable {
    /// The HTTP method.
    public var method: HTTPRequest.Method
    /// The path's segments below the base URL, such as `["chat", "completions"]`. Each segment is escaped.
    public var path: [String]
    /// The query's names and values.
    public var query: [(name: String, value: String)]
    /// The fields of this request. They take precedence over the dialect's fields.
    public var fields: HTTPFields
    /// The body.
    public var body: HTTPBody
    /// The accepted kinds of answer, such as `application/json` or `audio`. A kind is a whole media type, or only its
    /// first part, which matches all subtypes. An empty list accepts every kind.
    ///
    /// If an answer has another media type or none, the client reads the whole answer and checks its content. The
    /// client recognises JSON, events, pictures and sound by their content. If the type of the content is accepted, the
    /// answer is accepted. Otherwise the answer is refused, and is kept if the call may be billed.
    public var accepts: [String]
    /// The maximum size of an answer that is read into memory, in bytes. Default: 64 MiB. For example, use `1 << 20` (1
    /// MiB) for a list of models.
    public var maximumAnswerBytes: Int
    /// Additional statuses that are accepted as answers, with any media type. For example, 404 for a request that asks
    /// whether an object still exists. Default: none.
    public var alsoTakes: Set<Int>
    /// Whether the service may charge for the request. If `true`, a lost call may have cost money. Default: `true` for
    /// every method except GET and HEAD, which only read.
    public var mayBeBilled: Bool

    /// Creates a request.
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

    /// Returns a request that sends a value as JSON.
    ///
    /// - Throws: ``/Hablare/AIServiceError/Code/invalidRequest`` for a number that is not finite, which JSON cannot
    ///   represent.
    public static func post(
        _ path: [String], query: [(name: String, value: String)] = [], json: ParameterValue, accepts: [String] = [],
        maximumAnswerBytes: Int = 64 << 20
    ) throws(AIServiceError) -> ServiceRequest {
        ServiceRequest(
            .post, path, query: query, fields: [.contentType: "application/json"], body: .bytes(try json.jsonData()),
            accepts: accepts, maximumAnswerBytes: maximumAnswerBytes)
    }

    /// Returns a request that sends a form with files.
    public static func post(
        _ path: [String], query: [(name: String, value: String)] = [], form: MultipartForm, accepts: [String] = [],
        maximumAnswerBytes: Int = 64 << 20
    ) -> ServiceRequest {
        let (contentType, body) = form.encoded()
        return ServiceRequest(
            .post, path, query: query, fields: [.contentType: contentType], body: body, accepts: accepts,
            maximumAnswerBytes: maximumAnswerBytes)
    }

    /// Returns a request that reads an existing object. Reading the object is free. Set `mayBeBilled` to `true` if the
    /// object is the result of billed work.
    public static func get(
        _ path: [String], query: [(name: String, value: String)] = [], accepts: [String] = ["application/json"],
        maximumAnswerBytes: Int = 64 << 20, alsoTakes: Set<Int> = [], mayBeBilled: Bool = false
    ) -> ServiceRequest {
        ServiceRequest(
            .get, path, query: query, accepts: accepts, maximumAnswerBytes: maximumAnswerBytes, alsoTakes: alsoTakes,
            mayBeBilled: mayBeBilled)
    }
}
