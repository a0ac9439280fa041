import Foundation

/// A ``BlobCache`` as a ``CoalescingLoader`` uses one: by keys and values of its own.
public struct BlobStorage<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Where the bytes are.
    public var cache: any BlobCache
    /// How values become bytes.
    public var coding: BlobCoding<Value>
    /// What a key is called in the cache. Different keys have different names, also those of other loaders on the same
    /// cache: begin them with what they are for. A name stays the same from one run of the app to the next, which a hash
    /// value does not.
    public var name: @Sendable (Key) -> String

    /// Creates a storage.
    public init(
        _ cache: any BlobCache, coding: BlobCoding<Value>, name: @escaping @Sendable (Key) -> String
    ) {
        self.cache = cache
        self.coding = coding
        self.name = name
    }

    func value(for key: Key) throws(BlobFailure) -> Value? {
        let blob: Data?
        do {
            blob = try cache.blob(for: name(key))
        } catch {
            throw .cache(error)
        }
        guard let blob else { return nil }
        do {
            return try coding.decode(blob)
        } catch {
            throw .coding
        }
    }

    func store(_ value: Value, for key: Key) throws(BlobFailure) {
        let blob: Data
        do {
            blob = try coding.encode(value)
        } catch {
            throw .coding
        }
        do {
            try cache.store(blob, for: name(key))
        } catch {
            throw .cache(error)
        }
    }

    func remove(_ key: Key) throws {
        try cache.remove(name(key))
    }
}

extension BlobStorage where Key == String {
    /// Creates a storage whose keys are names.
    public init(_ cache: any BlobCache, coding: BlobCoding<Value>) {
        self.init(cache, coding: coding) { $0 }
    }
}
