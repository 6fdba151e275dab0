// SPDX-License-Identifier: MIT

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.StringListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.commands.ProtocolCommand;

/** jedis and lettuce: NAME PORT TOKEN. */
final class Clients {
  private static final byte[] NEXT = "NEXT".getBytes(StandardCharsets.UTF_8);

  private static String text(Object reply) {
    return new String((byte[]) reply, StandardCharsets.UTF_8);
  }

  private static void jedis(int port, String token) {
    ProtocolCommand next = () -> NEXT;
    try (Jedis client = new Jedis("127.0.0.1", port)) {
      client.auth(token);
      for (int i = 0; i < 20; i++) {
        System.out.println(text(client.sendCommand(next, "main")));
      }
      for (Object id : (List<?>) client.sendCommand(next, "main", "50")) {
        System.out.println(text(id));
      }
      for (int i = 0; i < 20; i++) {
        System.out.println(client.incr("orders:id"));
      }
      Pipeline pipeline = client.pipelined();
      for (int i = 0; i < 20; i++) {
        Response<Object> ignored = pipeline.sendCommand(next, "main");
      }
      for (Object id : pipeline.syncAndReturnAll()) {
        System.out.println(text(id));
      }
    }
  }

  private static void lettuce(int port, String token) {
    RedisURI uri =
        RedisURI.builder()
            .withHost("127.0.0.1")
            .withPort(port)
            .withPassword(token.toCharArray())
            .build();
    ProtocolKeyword next =
        new ProtocolKeyword() {
          @Override
          public byte[] getBytes() {
            return NEXT;
          }

          @Override
          public String name() {
            return "NEXT";
          }
        };
    StringCodec codec = StringCodec.UTF8;
    RedisClient client = RedisClient.create(uri);
    try {
      RedisCommands<String, String> commands = client.connect().sync();
      for (int i = 0; i < 40; i++) {
        CommandArgs<String, String> one = new CommandArgs<>(codec).add("main");
        System.out.println(commands.dispatch(next, new StatusOutput<>(codec), one));
      }
      CommandArgs<String, String> many = new CommandArgs<>(codec).add("main").add(50);
      for (String id : commands.dispatch(next, new StringListOutput<>(codec), many)) {
        System.out.println(id);
      }
      for (int i = 0; i < 20; i++) {
        System.out.println(commands.incr("orders:id"));
      }
    } finally {
      client.shutdown();
    }
  }

  public static void main(String[] words) {
    if (words[0].equals("jedis")) {
      jedis(Integer.parseInt(words[1]), words[2]);
    } else {
      lettuce(Integer.parseInt(words[1]), words[2]);
    }
  }
}
