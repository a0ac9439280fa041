public import HablarePresentation

/// A loader that reads and saves a text in a store. A ``LocalLoaderContract`` drives it. `LocalResourceLoader` conforms
/// to it.
public protocol LocalLoads: Sendable {
    /// Looks up the text.
    ///
    /// - Throws: The store's error; `CancellationError`.
    func load() async throws -> LocalResource<String>

    /// Saves a text with the current date.
    ///
    /// - Throws: The store's error; `CancellationError`.
    func save(_ resource: String) async throws

    /// Deletes an expired text, and returns whether it deleted one.
    ///
    /// - Throws: The store's error; `CancellationError`.
    @discardableResult
    func validate() async throws -> Bool
}

extension LocalResourceLoader: LocalLoads where Store.Resource == String {}
