public import Hablare
public import HablareLoading
public import Logging

/// Loads pictures of photos: one load for each photo, version and size, however many ask for it.
///
/// At most five loads run at once, and together they may need 64 MB by the prediction in the photos' headers. A photo
/// that needs more is decoded alone. Visible pictures come before preloaded ones. Thumbnails and cards share one memory
/// cache; pictures for the screen and in full size have another one with at most 10 of them.
///
/// On disk, thumbnails and cards are in the desktop's thumbnail cache, which the decoder reads and fills. Larger pictures
/// are decoded again when they are not in memory: the photo itself is on the disk, a copy would need about 0.5 MB for each
/// photo, and would outlive the photo.
///
/// A load has three attempts, with waits of 1 s and 2 s, if its failure can pass. A damaged or missing file, a file
/// of a volume that does not answer, and a cancelled load are not tried again.
public final class PhotoLoader: Sendable {
    /// The key of a load: a size of a version of a photo.
    public struct Key: Sendable, Hashable, Codable {
        /// The photo.
        public let photo: PhotoID
        /// The version of its picture.
        public let version: PhotoVersion
        /// The size.
        public let size: RenditionSize

        /// Creates a key.
        public init(photo: PhotoID, version: PhotoVersion, size: RenditionSize) {
            self.photo = photo
            self.version = version
            self.size = size
        }
    }

    /// The bounds of a loader.
    public struct Limits: Sendable, Hashable {
        /// The predicted bytes of all loads in progress. Default: 64 MB.
        public var bytesInFlight = 64 << 20
        /// The number of loads in progress, for each of the two caches. Default: 5.
        public var loads = 5
        /// The number of thumbnails and cards in memory. Default: 100.
        public var smallCount = 100
        /// The bytes of thumbnails and cards in memory. Default: 10 MB, which are 100 cards of a usual size.
        public var smallBytes = 10_000_000
        /// The number of pictures for the screen and in full size in memory. Default: 10.
        public var largeCount = 10
        /// The bytes of pictures for the screen and in full size in memory. Default: 15 MB, which are 10 pictures for
        /// a screen.
        public var largeBytes = 15_000_000

        /// Creates the default limits.
        public init() {}
    }

    private let small: CoalescingLoader<Key, Rendition>
    private let large: CoalescingLoader<Key, Rendition>
    private let budget: LoadBudget
    private let activity: PersonActivity

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - imaging: The decoder.
    ///   - opening: Finds and opens the files.
    ///   - limits: The bounds. Default: see ``Limits``.
    ///   - budget: The bytes of all loads in progress, if other work shares them. Default: its own, of
    ///     ``Limits/bytesInFlight``.
    ///   - activity: Where visible pictures are noted as a person's activity. Default: not noted.
    ///   - seams: The clock of retries. Default: that of the system.
    ///   - logger: The logger. Default: `sift.loader`.
    /// - Throws: `AIServiceError` for limits below 1.
    public init(
        imaging: any PhotoImaging, opening: any PhotoOpening, limits: Limits = Limits(),
        budget: LoadBudget? = nil, activity: PersonActivity = PersonActivity(),
        seams: EngineSeams = EngineSeams(), logger: Logger = Logger(label: "sift.loader")
    ) throws(AIServiceError) {
        let budget = if let budget { budget } else { try LoadBudget(bytes: limits.bytesInFlight) }
        self.budget = budget
        self.activity = activity
        let cost = LoadCost<Key>(within: budget) { key in
            try await Self.translatingCancellation {
                try await Self.header(of: key, imaging, opening, logger).predictedBytes(for: key.size)
            }
        }
        let load: @Sendable (Key) async throws -> Rendition = { key in
            try await Self.translatingCancellation {
                let picture = try await imaging.rendition(
                    of: opening.open(key.photo, expecting: key.version).file, key.size)
                if picture.isDamaged { try await Self.note(damageOf: key, opening, logger) }
                return picture
            }
        }
        small = try CoalescingLoader(
            policy: Self.policy(limits.loads, limits.smallCount, limits.smallBytes), cost: cost, seams: seams,
            logger: logger, load: load)
        large = try CoalescingLoader(
            policy: Self.policy(limits.loads, limits.largeCount, limits.largeBytes), cost: cost, seams: seams,
            logger: logger, load: load)
    }

    private static func policy(_ loads: Int, _ count: Int, _ bytes: Int) -> LoaderPolicy<Rendition> {
        // A volume that does not answer has had its time. The place is for the photos of other volumes.
        let retry = LoadRetryPolicy { error in
            guard let error = error as? PhotoProcessingError else { return true }
            return error.isRetryable && error.code != .notAnswering
        }
        return LoaderPolicy(
            concurrency: loads, retry: retry, memoryCount: count, memoryBytes: bytes, cost: { $0.bytes.count })
    }

    /// Returns the header from the store. If the store does not have it, reads it from the file and stores it.
    private static func header(
        of key: Key, _ imaging: any PhotoImaging, _ opening: any PhotoOpening, _ logger: Logger
    ) async throws -> PhotoHeader {
        let (file, known) = try await opening.open(key.photo, expecting: key.version)
        if let known { return known }
        let header = try await imaging.header(of: file)
        do {
            try await opening.keep(header, of: key.photo, version: key.version)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The picture can be shown all the same. The header is read again next time.
            logger.warning("A photo's header could not be stored", metadata: ["photo": "\(key.photo)"])
        }
        return header
    }

    private static func translatingCancellation<R>(_ work: () async throws -> R) async throws -> R {
        do {
            return try await work()
        } catch let error as PhotoProcessingError where error.code == .cancelled {
            throw CancellationError()
        }
    }

    private static func note(damageOf key: Key, _ opening: any PhotoOpening, _ logger: Logger) async throws {
        do {
            try await opening.noteDamage(of: key.photo, version: key.version)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The picture says so itself. The next load notes it.
            logger.warning("A photo's damage could not be stored", metadata: ["photo": "\(key.photo)"])
        }
    }

    private func loader(of size: RenditionSize) -> CoalescingLoader<Key, Rendition> {
        switch size {
        case .embedded, .thumbnail, .card: small
        case .screen, .full: large
        }
    }

    /// Returns a picture, from memory if it is there.
    ///
    /// - Parameters:
    ///   - key: The photo, its version and the size.
    ///   - priority: Default: visible, which is before all preloads.
    /// - Throws: ``PhotoProcessingError``. `CancellationError` at once if the task is cancelled; the load continues for
    ///   others who wait for it, and other photos' loads are not touched. `AIServiceError` after ``shutdown()``.
    public func rendition(_ key: Key, priority: LoadPriority = .visible) async throws -> Rendition {
        if priority == .visible { activity.note() }
        return try await loader(of: key.size).load(key, priority: priority)
    }

    /// Returns a picture of a photo in the version that was listed.
    public func rendition(
        of photo: Photo, _ size: RenditionSize, priority: LoadPriority = .visible
    ) async throws -> Rendition {
        try await rendition(Key(photo: photo.id, version: photo.version, size: size), priority: priority)
    }

    /// Returns a picture that is in memory, or nil.
    public func cached(_ key: Key) -> Rendition? { loader(of: key.size).cached(key) }

    /// Starts to load the cards or thumbnails of photos that may be shown next, after all that is visible.
    ///
    /// - Returns: A handle that stops the preload. Discarding it does not.
    @discardableResult
    public func preload(_ photos: some Sequence<Photo>, _ size: RenditionSize = .card) -> Preload {
        loader(of: size).preload(photos.map { Key(photo: $0.id, version: $0.version, size: size) })
    }

    /// Frees the memory of all pictures, for example when the system is short of it.
    public func removeAllFromMemory() {
        small.removeAllFromMemory()
        large.removeAllFromMemory()
    }

    /// The predicted bytes and the number of the loads that decode now.
    public var load: (bytes: Int, count: Int) { (budget.bytesInFlight, budget.loadsInFlight) }

    /// The number of loads that wait until others free their predicted bytes.
    var waitingLoads: Int { budget.waitingLoads }

    /// Cancels all loads and waits until they end.
    public func shutdown() async {
        await small.shutdown()
        await large.shutdown()
    }
}
