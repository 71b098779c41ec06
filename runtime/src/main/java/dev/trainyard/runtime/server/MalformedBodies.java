package dev.trainyard.runtime.server;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMessage;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import java.util.concurrent.TimeUnit;

/**
 * Lets the answer to a body that is not HTTP, such as a chunk without a size, reach its caller. Vert.x tells the request of it, and closes
 * the connection at once, with the answer still in its buffer. For one connection.
 */
final class MalformedBodies extends ChannelDuplexHandler {

    private final long lingerMillis;
    private boolean isMalformed;

    private MalformedBodies(long lingerMillis) {
        this.lingerMillis = lingerMillis;
    }

    /**
     * Looks at all bodies of a connection.
     *
     * @param lingerMillis for how long a connection stays open after a malformed one
     */
    static void watch(HttpConnection connection, long lingerMillis) {
        if (connection instanceof HttpServerConnection server) {
            var ofVertx = server.channelHandlerContext();
            ofVertx.pipeline().addBefore(ofVertx.name(), null, new MalformedBodies(lingerMillis));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        boolean isBody = !(message instanceof HttpMessage);
        if (isBody
                && message instanceof HttpContent content
                && content.decoderResult().isFailure()) {
            isMalformed = true;
            // The handler of bodies takes it for the caller's mistake, and anything else for ours.
            content.setDecoderResult(DecoderResult.failure(
                    new DecoderException(content.decoderResult().cause())));
        }
        context.fireChannelRead(message);
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) throws Exception {
        if (isMalformed) {
            context.flush();
            // Closed at once, the answer could be lost: TCP resets a connection with bytes that nobody read.
            Runnable closing = () -> {
                var unused = context.close(promise);
            };
            var unused = context.executor().schedule(closing, lingerMillis, TimeUnit.MILLISECONDS);
        } else {
            super.close(context, promise);
        }
    }
}
