/// The memory that each load of a ``CoalescingLoader`` needs while it runs, and the budget that bounds it.
///
/// ```swift
/// let budget = try LoadBudget(bytes: 64 << 20)
/// let photos = try CoalescingLoader<Photo, Image>(
///     cost: LoadCost(within: budget) { photo in try await header(of: photo).decodedBytes }
/// ) { photo in
///     try await decode(photo)
/// }
/// ```
public struct LoadCost<Key: Sendable>: Sendable {
    /// The budget. Loaders that share a budget share its bytes.
    public var budget: LoadBudget
    /// A closure that returns the number of bytes that the load of a key needs, for example from the header of a file.
    /// The loader calls it before each attempt. If it throws an error, the attempt fails with this error.
    public var predictedBytes: @Sendable (Key) async throws -> Int

    /// Creates a cost.
    public init(within budget: LoadBudget, predictedBytes: @escaping @Sendable (Key) async throws -> Int) {
        self.budget = budget
        self.predictedBytes = predictedBytes
    }
}
