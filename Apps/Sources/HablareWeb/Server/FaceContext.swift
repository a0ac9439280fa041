public import Hummingbird
import NIOCore

/// The context of a request. Routes of an app get it together with the request.
public struct FaceContext: RequestContext {
    /// The part that Hummingbird needs.
    public var coreContext: CoreRequestContextStorage
    /// The largest body that `request.decode(as:context:)` reads, in bytes: ``FaceLimits/bodyBytes``.
    public var maxUploadSize: Int
    let channel: any Channel

    /// Creates a context for a request on a channel.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        maxUploadSize = FaceLimits().bodyBytes
        channel = source.channel
    }
}
