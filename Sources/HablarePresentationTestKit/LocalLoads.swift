public import HablarePresentation

/// A loader that reads and saves a text in a store. A ``LocalLoaderContract`` tests it. `LocalResourceLoader` conforms
/// to this protocol.
public protocol LocalLoads: Sendable {
    /// Looks up the text.
    ///
    /// - Throws: The store's error. `CancellationError` if the task is cancelled.
    func load() async throws -> LocalResource<String>

    /// Saves a text with the current date.
    ///
    /// - Throws: The store's error. `CancellationError` if the task is cancelled.
    func save(_ resource: String) async throws

    /// Deletes an expired text. Returns whether a text was deleted.
    ///
    /// - Throws: The store's error. `CancellationError` if the task is cancelled.
    @discardableResult
    func validate() async throws -> Bool
}

extension LocalResourceLoader: LocalLoads where Store.Resource == String {}
