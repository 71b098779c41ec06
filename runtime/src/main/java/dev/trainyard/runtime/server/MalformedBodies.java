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
 * A handler that lets the caller get the answer to a malformed body, such as a chunk without a size. Vert.x reports the error to the
 * request, and closes the connection at once, while the answer is still in a buffer. This handler delays the close. Used by one connection.
 */
final class MalformedBodies extends ChannelDuplexHandler {

    private final long lingerMillis;
    private boolean isMalformed;

    private MalformedBodies(long lingerMillis) {
        this.lingerMillis = lingerMillis;
    }

    /**
     * Adds a handler that checks all bodies of a connection.
     *
     * @param lingerMillis time for which the connection stays open after a malformed body
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
            // The body handler treats a DecoderException as the caller's error, and any other exception as ours.
            content.setDecoderResult(DecoderResult.failure(
                    new DecoderException(content.decoderResult().cause())));
        }
        context.fireChannelRead(message);
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) throws Exception {
        if (isMalformed) {
            context.flush();
            // An immediate close could lose the answer, because TCP resets a connection that has unread bytes.
            Runnable closing = () -> {
                var unused = context.close(promise);
            };
            var unused = context.executor().schedule(closing, lingerMillis, TimeUnit.MILLISECONDS);
        } else {
            super.close(context, promise);
        }
    }
}
