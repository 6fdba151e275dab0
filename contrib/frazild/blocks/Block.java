// SPDX-License-Identifier: MIT

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.commands.ProtocolCommand;

/** Ids of frazild in blocks, with jedis: FRAZILD_URL=redis://127.0.0.1:6380 java Block.java. */
final class Block {
  /** Ids of one generator, for all threads: a request fetches 1,000 of them, for a second at most. */
  static final class Ids {
    private static final ProtocolCommand NEXT = () -> "NEXT".getBytes(StandardCharsets.UTF_8);
    private static final int SIZE = 1000;
    private static final Duration LIFE = Duration.ofSeconds(1);

    private final RedisClient client;
    private final String generator;
    private final ArrayDeque<Long> ids = new ArrayDeque<>(SIZE);
    private long filledNs;

    Ids(RedisClient client, String generator) {
      this.client = client;
      this.generator = generator;
    }

    synchronized long next() {
      if (ids.isEmpty() || System.nanoTime() - filledNs > LIFE.toNanos()) {
        ids.clear();
        for (Object id : (List<?>) client.sendCommand(NEXT, generator, Integer.toString(SIZE))) {
          ids.add(Long.parseLong(new String((byte[]) id, StandardCharsets.UTF_8)));
        }
        filledNs = System.nanoTime();
      }
      return ids.remove();
    }
  }

  public static void main(String[] words) {
    try (RedisClient client = RedisClient.create(URI.create(System.getenv("FRAZILD_URL")))) {
      Ids ids = new Ids(client, "main");
      for (int i = 0; i < 2500; i++) {
        System.out.println(ids.next());
      }
    }
  }
}
