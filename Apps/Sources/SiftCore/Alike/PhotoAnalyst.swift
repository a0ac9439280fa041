public import Foundation
public import Hablare
public import HablareLoading

/// The provider of the engine that computes what suggestions need: hashes, sharpness and content digest of photos.
///
/// Register it at the engine that ``PhotoIndexer`` submits its requests to. A request names the versions of up to
/// ``photosOfRequest`` photos, and these versions are the request's content. So an answer that the engine keeps is used
/// again after a restart, and a changed photo is computed again.
///
/// A call decodes its photos one after another. Each decode takes room in the budget that it shares with
/// ``PhotoLoader``, after all pictures that a person waits for.
public struct PhotoAnalyst: AIServiceProvider {
    /// The provider's id: `sift.features`.
    public static let providerID: ProviderID = "sift.features"
    /// How long an answer counts, in seconds: 30 days. The answer for a version of a photo stays true.
    public static let lifetime: TimeInterval = 30 * 86_400
    /// The most photos of a request. The engine writes a request and its answer to disk, which takes as long as decoding
    /// a small photo.
    static let photosOfRequest = 16

    /// The key of the photos' numbers in a request's metadata. They find the files, and do not tell what those hold.
    static let photosKey = "photos"
    /// The number of the way in which features are computed. Another one makes kept answers count no more.
    private static let edition: Int64 = 2

    private let imaging: any PhotoImaging
    private let opening: any PhotoOpening
    private let budget: LoadBudget

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - imaging: The decoder.
    ///   - opening: Finds and opens the files.
    ///   - budget: The bytes of all decodes in progress. Share it with the loader.
    public init(imaging: any PhotoImaging, opening: any PhotoOpening, budget: LoadBudget) {
        self.imaging = imaging
        self.opening = opening
        self.budget = budget
    }

    /// ``providerID``.
    public var id: ProviderID { Self.providerID }
    /// Text, which is JSON.
    public var responseType: ContentType { .text }
    /// False: photos are decoded on this machine.
    public var needsNetwork: Bool { false }
    /// The number of calls at a time: one more than there are processors. So all of them decode while one call reads or
    /// digests a file.
    public static var callsAtOnce: Int { ProcessInfo.processInfo.activeProcessorCount + 1 }
    /// ``callsAtOnce`` calls at a time, with 10 minutes each.
    public var limits: ProviderLimits {
        ProviderLimits(concurrency: Self.callsAtOnce, attemptTimeout: .seconds(600), breaker: .never)
    }

    /// The options of an engine that runs this provider: answers are kept for ``lifetime``, and nothing is waited for at
    /// the end.
    public static var engineConfiguration: EngineConfiguration {
        EngineConfiguration(
            shutdownGrace: .zero, retention: Retention(maximumAge: lifetime, maximumCount: 10_000),
            cache: CacheLimits(timeToLive: lifetime, maximumCount: 10_000, memoryCount: 0))
    }

    /// Returns the request for the features of photos, of low priority.
    static func request(for photos: [Photo]) -> AIRequest {
        let names = photos.map { photo in
            let version = photo.version
            return [
                String(version.device), String(version.inode), String(version.size), String(version.modified),
            ].joined(separator: ":")
        }
        return AIRequest(
            prompt: .text(names.joined(separator: "\n")), parameters: ["edition": .int(edition)], priority: .low,
            caching: .use(within: lifetime),
            metadata: [photosKey: photos.map(\.id.description).joined(separator: ",")])
    }

    /// Returns the photos that a request names, or nil for a request that ``request(for:)`` did not make.
    static func photos(of request: AIRequest) -> [(id: PhotoID, version: PhotoVersion)]? {
        let names = request.prompt.plainText.split(separator: "\n", omittingEmptySubsequences: false)
        let numbers = request.metadata[photosKey, default: ""].split(separator: ",")
        guard names.count == numbers.count else { return nil }
        var photos: [(id: PhotoID, version: PhotoVersion)] = []
        for (number, name) in zip(numbers, names) {
            guard let number = Int64(number), let version = version(name) else { return nil }
            photos.append((PhotoID(rawValue: number), version))
        }
        return photos
    }

    private static func version(_ name: Substring) -> PhotoVersion? {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, let device = UInt64(parts[0]), let inode = UInt64(parts[1]),
            let size = Int64(parts[2]), let modified = Int64(parts[3])
        else { return nil }
        return PhotoVersion(device: device, inode: inode, size: size, modified: modified)
    }

    /// Decodes the photos and returns a ``PhotoAnalysis`` of each as JSON, in the order of the request. A photo that
    /// cannot be decoded is an answer, too. A failure that may pass leaves its photo out; it is the call's failure if no
    /// photo is left.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        guard let photos = Self.photos(of: call.request) else {
            return .failure(AIServiceError(.invalidRequest, "The request names no photo. Submit it with the indexer."))
        }
        do {
            var analyses: [PhotoAnalysis] = []
            var failure: (any Error)?
            for photo in photos {
                do {
                    analyses.append(try await analysis(of: photo.id, photo.version))
                } catch {
                    let isCancelled = (error as? PhotoProcessingError)?.code == .cancelled
                    if isCancelled || error is CancellationError { throw CancellationError() }
                    analyses.append(PhotoAnalysis())
                    failure = failure ?? error
                }
            }
            if let failure, analyses.allSatisfy({ $0 == PhotoAnalysis() }) { throw failure }
            let text = String(decoding: try JSONEncoder().encode(analyses), as: UTF8.self)
            return .success(ProviderAnswer(.text(Body(text))))
        } catch {
            return .failure(Self.failure(of: error))
        }
    }

    private func analysis(of photo: PhotoID, _ version: PhotoVersion) async throws -> PhotoAnalysis {
        let (file, known) = try await opening.open(photo, expecting: version)
        let features: PhotoFeatures
        do {
            let header = if let known { known } else { try await imaging.header(of: file) }
            features = try await budget.withRoom(for: header.predictedBytes(for: .card), priority: .preload) {
                try await imaging.features(of: file)
            }
        } catch let error as PhotoProcessingError {
            guard error.isFinal else { throw error }
            return PhotoAnalysis(failure: error)
        }
        return PhotoAnalysis(
            features: features, digest: try await BlockingWork.run { try ContentDigest.digest(of: file) })
    }

    /// Returns the engine's error for a failure that may pass, or that another scan will explain.
    static func failure(of error: any Error) -> AIServiceError {
        if error is CancellationError { return AIServiceError(.cancelled, "The photo is not needed any more.") }
        let photo = (error as? SystemFailure)?.forPerson ?? error as? PhotoProcessingError
        switch photo?.code {
        case .cancelled?: return AIServiceError(.cancelled, "The photo is not needed any more.")
        case .needsNetwork?, .notAnswering?, .diskFull?:
            return AIServiceError(.connectionFailed, "The photo's volume does not answer.")
        case .photoGone?, .photoChanged?, .permissionMissing?:
            return AIServiceError(.invalidRequest, "The photo is gone, or may not be read. Scan the library again.")
        default: return AIServiceError(.providerFailed, "The photo could not be decoded now.")
        }
    }
}

extension PhotoProcessingError {
    /// Whether the photo's content is the reason, so that every repetition fails.
    var isFinal: Bool { code == .processingFailed && !isRetryable }
}
