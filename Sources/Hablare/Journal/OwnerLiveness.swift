/// Tells living processes from dead ones, so that a restart after `kill -9` waits for no lease to run out.
public protocol OwnerLiveness: Sendable {
    /// This machine's name, as ``OwnerRegistration/host`` records it for people.
    var host: String { get }

    /// Takes a lock that lasts as long as this process, and names it.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    func acquire() throws -> String

    /// Gives a lock back.
    func release(_ lockName: String)

    /// Whether a registered process is gone; `nil` when that cannot be told from here, so that its lease decides. Only
    /// ever true when it certainly is.
    ///
    /// - Throws: ``AIServiceError`` of category storage.
    func isDead(_ owner: OwnerRegistration) throws -> Bool?
}
