public import HablarePresentation

/// What loads and saves a text in a store, as a ``LocalLoaderContract`` drives it. `LocalResourceLoader` is one.
public protocol LocalLoads: Sendable {
    /// Looks what is there.
    ///
    /// - Throws: What the store throws; `CancellationError`.
    func load() async throws -> LocalResource<String>

    /// Saves a text under the present date.
    ///
    /// - Throws: What the store throws; `CancellationError`.
    func save(_ resource: String) async throws

    /// Deletes what is expired, and answers whether something was.
    ///
    /// - Throws: What the store throws; `CancellationError`.
    @discardableResult
    func validate() async throws -> Bool
}

extension LocalResourceLoader: LocalLoads where Store.Resource == String {}
