import Foundation

/// A ``BlobCache``, with the key and value types of one ``CoalescingLoader``.
public struct BlobStorage<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The cache that stores the bytes.
    public var cache: any BlobCache
    /// The conversion between values and bytes.
    public var coding: BlobCoding<Value>
    /// A closure that returns the name of a key in the cache. Different keys must have different names. This also
    /// applies to different loaders that share a cache. Therefore begin each name with a prefix that identifies the
    /// loader. A name must be the same in every run of the app. Do not use `hashValue` or `Hasher`, because their
    /// results change from run to run.
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
    /// Creates a storage for keys that are texts. Each key is used as its own name.
    public init(_ cache: any BlobCache, coding: BlobCoding<Value>) {
        self.init(cache, coding: coding) { $0 }
    }
}
