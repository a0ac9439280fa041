public import Foundation
public import Hablare

/// The provider of the engine that computes what suggestions need: hashes, sharpness and content digest of a photo.
///
/// Register it at the engine that ``PhotoIndexer`` submits its requests to. A request names a version of a photo, and
/// this version is the request's content. So equal photos are one call, an answer that the engine keeps is used again
/// after a restart, and a changed photo is computed again.
public struct PhotoAnalyst: AIServiceProvider {
    /// The provider's id: `sift.features`.
    public static let providerID: ProviderID = "sift.features"
    /// How long an answer counts, in seconds: 30 days. The answer for a version of a photo stays true.
    public static let lifetime: TimeInterval = 30 * 86_400

    /// The key of the photo's number in a request's metadata. It finds the file, and does not tell what it holds.
    static let photoKey = "photo"
    /// The number of the way in which features are computed. Another one makes kept answers count no more.
    private static let edition: Int64 = 1

    private let imaging: any PhotoImaging
    private let opening: any PhotoOpening

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - imaging: The decoder.
    ///   - opening: Finds and opens the files.
    public init(imaging: any PhotoImaging, opening: any PhotoOpening) {
        self.imaging = imaging
        self.opening = opening
    }

    /// ``providerID``.
    public var id: ProviderID { Self.providerID }
    /// Text, which is JSON.
    public var responseType: ContentType { .text }
    /// False: photos are decoded on this machine.
    public var needsNetwork: Bool { false }
    /// One call at a time, so that it hardly slows down what a person waits for.
    public var limits: ProviderLimits {
        ProviderLimits(concurrency: 1, attemptTimeout: .seconds(120), breaker: .never)
    }

    /// The options of an engine that runs this provider: answers are kept for ``lifetime``, and nothing is waited for at
    /// the end.
    public static var engineConfiguration: EngineConfiguration {
        EngineConfiguration(
            shutdownGrace: .zero, retention: Retention(maximumAge: lifetime, maximumCount: 100_000),
            cache: CacheLimits(timeToLive: lifetime, maximumCount: 100_000, memoryCount: 0))
    }

    /// Returns the request for a photo's features, of low priority.
    static func request(for photo: Photo) -> AIRequest {
        let version = photo.version
        let name = [
            String(version.device), String(version.inode), String(version.size), String(version.modified),
        ].joined(separator: ":")
        return AIRequest(
            prompt: .text(name), parameters: ["edition": .int(edition)], priority: .low,
            caching: .use(within: lifetime), metadata: [photoKey: photo.id.description])
    }

    /// Returns the version that a request names, or nil for a request that ``request(for:)`` did not make.
    static func version(of request: AIRequest) -> PhotoVersion? {
        let parts = request.prompt.plainText.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, let device = UInt64(parts[0]), let inode = UInt64(parts[1]),
            let size = Int64(parts[2]), let modified = Int64(parts[3])
        else { return nil }
        return PhotoVersion(device: device, inode: inode, size: size, modified: modified)
    }

    /// Decodes the photo and returns its ``PhotoAnalysis`` as JSON. A photo that cannot be decoded is an answer, too.
    public func generate(_ call: ProviderCall) async -> Result<ProviderAnswer, AIServiceError> {
        guard let version = Self.version(of: call.request),
            let number = call.request.metadata[Self.photoKey].flatMap({ Int64($0) })
        else {
            return .failure(AIServiceError(.invalidRequest, "The request names no photo. Submit it with the indexer."))
        }
        do {
            let analysis = try await analysis(of: PhotoID(rawValue: number), version)
            let text = String(decoding: try JSONEncoder().encode(analysis), as: UTF8.self)
            return .success(ProviderAnswer(.text(Body(text))))
        } catch {
            return .failure(Self.failure(of: error))
        }
    }

    private func analysis(of photo: PhotoID, _ version: PhotoVersion) async throws -> PhotoAnalysis {
        let (file, _) = try await opening.open(photo, expecting: version)
        let features: PhotoFeatures
        do throws(PhotoProcessingError) { features = try await imaging.features(of: file) } catch {
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
        case .needsNetwork?, .notAnswering?, .diskFull?: return AIServiceError(.connectionFailed, "The photo's volume does not answer.")
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
