import Hablare

/// What a request says of whom it is meant for, so that whoever goes on with it asks the same. Pure.
struct RequestAddress: Sendable, Hashable {
    /// The model, of a service; a program has none to choose.
    var model: String?
    /// Where the service is, and nowhere else; `nil`: wherever it is configured.
    var place: String?

    /// Writes it into a request.
    func mark(_ request: inout AIRequest) {
        request.model = model
        request.metadata[PlacedProvider.key] = place
    }
}
