import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Bounds one connection: the number of connections, the time of a request, and the time that a client may stall.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let registry: ConnectionRegistry
    private let limits: FaceLimits
    private var requestTimer: Scheduled<Void>?
    private var stallTimer: Scheduled<Void>?

    init(_ registry: ConnectionRegistry, limits: FaceLimits) {
        self.registry = registry
        self.limits = limits
    }

    func channelActive(context: ChannelHandlerContext) {
        if registry.opened(context.channel) {
            context.fireChannelActive()
            return
        }
        let head = HTTPResponse(
            status: .serviceUnavailable, headerFields: [.connection: "close", .contentLength: "0", .retryAfter: "5"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        requestTimer?.cancel()
        stallTimer?.cancel()
        registry.closed(context.channel)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            requestTimer?.cancel()
            requestTimer = closing(context.channel, in: limits.requestTime)
        case .body: break
        case .end:
            requestTimer?.cancel()
            requestTimer = nil
        }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stallTimer?.cancel()
        stallTimer = context.channel.isWritable ? nil : closing(context.channel, in: limits.stallTime)
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that will send no more has left: browsers close both ways at once.
        if let event = event as? ChannelEvent, event == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    private func closing(_ channel: any Channel, in time: Duration) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: TimeAmount(time)) { channel.close(promise: nil) }
    }
}

@available(*, unavailable)
extension ConnectionHandler: Sendable {}
