import HTTPTypes
public import Hablare

extension ServiceRequest {
    /// A call that sends a form with files.
    ///
    /// - Throws: as ``MultipartForm/encoded(boundary:)``.
    public static func post(
        _ path: [String], query: [(name: String, value: String)] = [], form: MultipartForm,
        boundary: MultipartBoundary, accepts: [String] = [], maximumAnswerBytes: Int = 64 << 20
    ) throws(AIServiceError) -> ServiceRequest {
        let (contentType, body) = try form.encoded(boundary: boundary)
        return ServiceRequest(
            .post, path, query: query, fields: [.contentType: contentType], body: body, accepts: accepts,
            maximumAnswerBytes: maximumAnswerBytes)
    }
}
