import Hablare

/// What a request says of whom it is meant for, beside its provider's id (``PlacedName`` for one at an address of
/// somebody's own), so that whoever goes on with it asks the same. Pure.
struct RequestAddress: Sendable, Hashable {
    /// The model, of a service; a program has none to choose.
    var model: String?

    func mark(_ request: inout AIRequest) {
        request.model = model
    }
}
