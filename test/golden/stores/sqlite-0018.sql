-- A store as the version before appends wrote it: runs that ended, failed, were erased and archived, and runs in the middle, with two followers.
-- Nobody edits it; src/adapters/stores/sqlite/copy-log.test.ts opens it.
BEGIN TRANSACTION;
CREATE TABLE events (
  run_key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  idempotency_key BLOB NOT NULL CONSTRAINT idempotency_key CHECK (length(idempotency_key) = 32),
  record TEXT NOT NULL,
  data TEXT,
  salt BLOB CONSTRAINT salt CHECK ((salt IS NULL) = (data IS NULL)),
  chain_hash BLOB NOT NULL CONSTRAINT chain_hash CHECK (length(chain_hash) = 32),
  terminal_slot TEXT,
  persisted_at INTEGER NOT NULL,
  PRIMARY KEY (run_key, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO events VALUES(1,1,'RunApproved',X'b89fa407ef0662f010e14cddb3f2b639519b68cfff83494457cafd443e7361e5','{"dataHash":"b3f0a515f8ef3b3c6173a6ff13aeabecc48d3d74a59ec4417361dbb6d514fc6d","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T19:06:56.826Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"2da67b5f-eb38-4c8c-8b88-6a958cfadeb8","eventType":"RunApproved","idempotencyKey":"b89fa407ef0662f010e14cddb3f2b639519b68cfff83494457cafd443e7361e5","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"chain","planVersion":"1.0.0","projectId":"default","runId":"753efe8e-e7a5-4243-8057-178921f6843d","runSeq":1,"tenantId":"local"}','{"input":{}}',X'438a2ffb663a0a04e09c30d875147a74',X'042df4b5ad24051d95354a935cb928830644ed3f1c2a94e344144ade9d483661',NULL,1794856016848);
INSERT INTO events VALUES(1,2,'RunStarted',X'7d77964ffd5fdeec28c60e811b955218c3eaaf634c95f99a01956e94951a06ef','{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T19:06:56.826Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"0f2e804e-867c-47d6-abbc-7bd2e097b2d7","eventType":"RunStarted","idempotencyKey":"7d77964ffd5fdeec28c60e811b955218c3eaaf634c95f99a01956e94951a06ef","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://753efe8e-e7a5-4243-8057-178921f6843d","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"chain","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"f0c8bf1966b78c608e5bf83464c655fd8b38e4dd5f19b585d38ba5f44a67fbae","uri":"plan:sha256:f0c8bf1966b78c608e5bf83464c655fd8b38e4dd5f19b585d38ba5f44a67fbae"},"rulesVersion":6,"startedAt":"2026-11-16T19:06:56.826Z","status":"RUNNING"},"planId":"chain","planVersion":"1.0.0","projectId":"default","runId":"753efe8e-e7a5-4243-8057-178921f6843d","runSeq":2,"tenantId":"local"}',NULL,NULL,X'5e1ca466bb4a31ac4589c31e16dcbfe22933ed9fe54d0dc0594f5f2dd8796d11',NULL,1794856016848);
INSERT INTO events VALUES(1,3,'StepStarted',X'9c1a57af1d67f08dda9f34fc6910dd3f5af513ad502a997c1f29dc99d53ffb4b','{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T19:06:56.826Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"ea0d8895-aaef-4aae-acac-82001f02b4e3","eventType":"StepStarted","idempotencyKey":"9c1a57af1d67f08dda9f34fc6910dd3f5af513ad502a997c1f29dc99d53ffb4b","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:56.826Z","timeoutAt":"2026-11-16T19:41:56.826Z"},"planId":"chain","planVersion":"1.0.0","projectId":"default","runId":"753efe8e-e7a5-4243-8057-178921f6843d","runSeq":3,"stepId":"a","tenantId":"local"}',NULL,NULL,X'04e6960fa3f29096ddf3542efab1dcaea100b538f64760ae490e9b9bb409049b',NULL,1794856016848);
INSERT INTO events VALUES(1,4,'StepCompleted',X'b431c0d6829966be9676f3b238fb253774dc1a3b61905ee597bc22d81d04ce96','{"dataHash":"0b63b7a3d1ad973d9535c16b1d3eacad2ecdb10bdd7008dd7c2d0c3b148e5ce1","decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T19:06:56.875Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"fdf0615b-4e3e-40c2-a49e-4850494e7af1","eventType":"StepCompleted","idempotencyKey":"b431c0d6829966be9676f3b238fb253774dc1a3b61905ee597bc22d81d04ce96","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:56.875Z","durationMs":19},"planId":"chain","planVersion":"1.0.0","projectId":"default","runId":"753efe8e-e7a5-4243-8057-178921f6843d","runSeq":4,"stepId":"a","tenantId":"local"}','{"result":{"n":1,"was":{}}}',X'5799df7cc5594101d1c628fba6a1670a',X'45f8da2e4004713b0286d6413c38fa8b8cb60a47581254b35a4d4fac86113e7c','a#1',1794856016910);
INSERT INTO events VALUES(1,5,'StepStarted',X'91ba5441fddbffd0e04b9f011cd5dc74d1ce410e6fea61c0c261008aa4041b98','{"decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T19:06:56.875Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"e904e30d-ebed-433f-9e5e-76e548679e2d","eventType":"StepStarted","idempotencyKey":"91ba5441fddbffd0e04b9f011cd5dc74d1ce410e6fea61c0c261008aa4041b98","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:56.875Z","timeoutAt":"2026-11-16T19:41:56.875Z"},"planId":"chain","planVersion":"1.0.0","projectId":"default","runId":"753efe8e-e7a5-4243-8057-178921f6843d","runSeq":5,"stepId":"b","tenantId":"local"}',NULL,NULL,X'25daf5c44b1dd0df18d39231bea97d1db9f40d26602a8ef08f2d77c9ffe7479b',NULL,1794856016910);
INSERT INTO events VALUES(1,6,'StepCompleted',X'9ac28ea2b386b8057d8952591b68d6f50446322b5dbc8bb1fa8be06506138be3','{"dataHash":"7eaa20216580fa91a6a3928bbd025bd3bef9f710e380c0bc77d13604646f4503","decision":{"cause":"outcome:b:1:1","firstSeq":6},"emittedAt":"2026-11-16T19:06:56.911Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"80dee44b-0090-4130-945d-12a73ce8d00e","eventType":"StepCompleted","idempotencyKey":"9ac28ea2b386b8057d8952591b68d6f50446322b5dbc8bb1fa8be06506138be3","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:56.911Z","durationMs":1},"planId":"chain","planVersion":"1.0.0","projectId":"default","runId":"753efe8e-e7a5-4243-8057-178921f6843d","runSeq":6,"stepId":"b","tenantId":"local"}','{"result":"ü 漢 😀 \"quoted\" 3,0:{}"}',X'ada87705dfca4c2c93957e96323347ab',X'cea9dcce4e31b4353c5ab00afe8d7b05cb9497b1ff1a5af10178b99f3da9f4fa','b#1',1794856016912);
INSERT INTO events VALUES(1,7,'StepStarted',X'8e6d80e9dcb7ae42fd2c6f556ca4e91ec7f0762c546ab0f94deb33e0798b91ca','{"decision":{"cause":"outcome:b:1:1","firstSeq":6},"emittedAt":"2026-11-16T19:06:56.911Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"1e92b29d-31bc-4dec-bc83-7fd74d39513d","eventType":"StepStarted","idempotencyKey":"8e6d80e9dcb7ae42fd2c6f556ca4e91ec7f0762c546ab0f94deb33e0798b91ca","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:56.911Z","timeoutAt":"2026-11-16T19:41:56.911Z"},"planId":"chain","planVersion":"1.0.0","projectId":"default","runId":"753efe8e-e7a5-4243-8057-178921f6843d","runSeq":7,"stepId":"c","tenantId":"local"}',NULL,NULL,X'8a4e6145833172e290bf42005e6c1cf2b4affaa9a13d8e5457e75101be638929',NULL,1794856016912);
INSERT INTO events VALUES(1,8,'StepCompleted',X'44963f9191a18aac619d238444b82cc04e9269128bb75634b5490fdc9560c943','{"dataHash":"755915cc1c64143b33b7ca2c1d11e08bcccb77f4e125453d235d3a204af0a7c7","decision":{"cause":"outcome:c:1:1","firstSeq":8},"emittedAt":"2026-11-16T19:06:56.913Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"75450422-727e-4421-b2f7-19d255316f1d","eventType":"StepCompleted","idempotencyKey":"44963f9191a18aac619d238444b82cc04e9269128bb75634b5490fdc9560c943","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:56.913Z","durationMs":0},"planId":"chain","planVersion":"1.0.0","projectId":"default","runId":"753efe8e-e7a5-4243-8057-178921f6843d","runSeq":8,"stepId":"c","tenantId":"local"}','{"result":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}',X'b716e437c2a3a972b44488be47dde5ad',X'3e4c3db1c9903b6d10fbb8d86071d9c4876f4f6dc19414b23d42490c74d5e5c6','c#1',1794856016934);
INSERT INTO events VALUES(1,9,'RunCompleted',X'6b4c7bea5a8184683d8218a6adda2f27ea3adf776cc2d1b7b180bfcde7ae5209','{"decision":{"cause":"outcome:c:1:1","firstSeq":8},"emittedAt":"2026-11-16T19:06:56.913Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"4ff3e64d-1989-471e-a9f9-aaba8d95b91e","eventType":"RunCompleted","idempotencyKey":"6b4c7bea5a8184683d8218a6adda2f27ea3adf776cc2d1b7b180bfcde7ae5209","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:56.913Z"},"planId":"chain","planVersion":"1.0.0","projectId":"default","runId":"753efe8e-e7a5-4243-8057-178921f6843d","runSeq":9,"tenantId":"local"}',NULL,NULL,X'141745efbdc69dc94f883d717c88a4279f72c1de3961afb787bacff8eee3d3e4',NULL,1794856016934);
INSERT INTO events VALUES(2,1,'RunApproved',X'4d82db8d92000a9e5310bb93dc4ae79899875d7fb693d4d6dfdd7dcf24900d0a','{"dataHash":"0b3e6409df065f7f5e1db630870ed5ab965c3ffba65a78494f970a2be48ab044","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T19:06:56.959Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"82c567e9-b534-4897-9fbe-09d3340079e1","eventType":"RunApproved","idempotencyKey":"4d82db8d92000a9e5310bb93dc4ae79899875d7fb693d4d6dfdd7dcf24900d0a","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":1,"tenantId":"local"}','{"input":{"list":[1,2,3,4,5,6,7]}}',X'5c6f8439ec324df551517ef40b5bdccb',X'54e60f1d7991f2d19144959a8b12bddde6607e969bfb52f982d17d179c1cc904',NULL,1794856016960);
INSERT INTO events VALUES(2,2,'RunStarted',X'4581e2dd76dd0b36a39cc50e40ce9a7ea4614c51b3c14c3375400aaa94c7c2dc','{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T19:06:56.959Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"85d8725d-71cd-46b6-a290-c2fc640dfd7a","eventType":"RunStarted","idempotencyKey":"4581e2dd76dd0b36a39cc50e40ce9a7ea4614c51b3c14c3375400aaa94c7c2dc","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://eda0e339-7d54-4350-b530-60214578cea5","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"fan","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"dfc6cf2252b2a4017b2bb6e08482c0e2955e7680726d7135cafd3419cd53394d","uri":"plan:sha256:dfc6cf2252b2a4017b2bb6e08482c0e2955e7680726d7135cafd3419cd53394d"},"rulesVersion":6,"startedAt":"2026-11-16T19:06:56.959Z","status":"RUNNING"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":2,"tenantId":"local"}',NULL,NULL,X'530af521d91fde280322e0e43fc8ccd9a1155e1be9b22d891d2b23cb166143a4',NULL,1794856016960);
INSERT INTO events VALUES(2,3,'StepStarted',X'a4d2e7ca27dc543bdea03224003410a0ae1c2e2197ad8222f198000392a5380b','{"dataHash":"6811a827554021454be95b87b71b92ee7e623328ef08ced0060519c25c1c4226","decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T19:06:56.978Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"37bb4f13-a6a7-4f76-bcce-ec324eb6e077","eventType":"StepStarted","idempotencyKey":"a4d2e7ca27dc543bdea03224003410a0ae1c2e2197ad8222f198000392a5380b","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:56.978Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":3,"stepId":"each","tenantId":"local"}','{"facts":{"items":{"count":7,"ref":"blob:cc9cd81c3110bc37d6c9bfd30bce0267b6cbfc3ffef7fb9abdc8615e42d10575","sha256":"cc9cd81c3110bc37d6c9bfd30bce0267b6cbfc3ffef7fb9abdc8615e42d10575"}}}',X'f8dd959a7ba251f67b4eccdd71c275c5',X'1133628c59d78617e095c315cdf1649513a07647cd34e6179d5c02672a9d6060',NULL,1794856017015);
INSERT INTO events VALUES(2,4,'FanOutExpanded',X'ac7238d860458260cf2de3fe6392cf0aa9bfcf8790a21efd6f6d956bf778e269','{"decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T19:06:56.978Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"af485541-5b2a-4598-9b7d-e3555c94fd7d","eventType":"FanOutExpanded","idempotencyKey":"ac7238d860458260cf2de3fe6392cf0aa9bfcf8790a21efd6f6d956bf778e269","logicalAttemptId":1,"payload":{"count":7,"ref":"blob:cc9cd81c3110bc37d6c9bfd30bce0267b6cbfc3ffef7fb9abdc8615e42d10575","sha256":"cc9cd81c3110bc37d6c9bfd30bce0267b6cbfc3ffef7fb9abdc8615e42d10575"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":4,"stepId":"each","tenantId":"local"}',NULL,NULL,X'538a97cbcd0d365670ee06d9e7add1987ba9247f881d11a2bebe951897843dcf',NULL,1794856017015);
INSERT INTO events VALUES(2,5,'StepStarted',X'52184f66b1e3a91927952fe1effa8062fb1fb437ab79cc70332da083687e21fc','{"decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T19:06:56.978Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"7ffad190-0d33-448c-b4de-5f86a27e2729","eventType":"StepStarted","idempotencyKey":"52184f66b1e3a91927952fe1effa8062fb1fb437ab79cc70332da083687e21fc","itemIndex":0,"logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:56.978Z","timeoutAt":"2026-11-16T19:41:56.978Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":5,"stepId":"each","tenantId":"local"}',NULL,NULL,X'e57971da4886083c2104acadf83171f3be23edf3513608c4faf1349dbcb5132c',NULL,1794856017015);
INSERT INTO events VALUES(2,6,'StepStarted',X'bd6dfb2f56c74cf75071b33c56e0492bb4e3a3e6eb75059ab0710f6c1c304413','{"decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T19:06:56.978Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"3c23b196-c448-4a87-8364-9d3b985da785","eventType":"StepStarted","idempotencyKey":"bd6dfb2f56c74cf75071b33c56e0492bb4e3a3e6eb75059ab0710f6c1c304413","itemIndex":1,"logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:56.978Z","timeoutAt":"2026-11-16T19:41:56.978Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":6,"stepId":"each","tenantId":"local"}',NULL,NULL,X'20daf5145c55b4b745c0c84766e58f2daf9ef35720f872ed9e16783da72be438',NULL,1794856017015);
INSERT INTO events VALUES(2,7,'StepStarted',X'd9ec3a2d6f81a5995e34dca00111368c6addf62d680df3404cdaa4300b989716','{"decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T19:06:56.978Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"2e2d799a-1f5e-4335-bbbe-8b423cf0a919","eventType":"StepStarted","idempotencyKey":"d9ec3a2d6f81a5995e34dca00111368c6addf62d680df3404cdaa4300b989716","itemIndex":2,"logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:56.978Z","timeoutAt":"2026-11-16T19:41:56.978Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":7,"stepId":"each","tenantId":"local"}',NULL,NULL,X'c495171c998f84a1054d1c8580b6f84b1623cf5b81713a1cc03d508ac5487d24',NULL,1794856017015);
INSERT INTO events VALUES(2,8,'StepStarted',X'675c7aebd30f24ab2db9024b9c8fe7b739a04e6d0cf8a941fc13ad1846d36e92','{"decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T19:06:56.978Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"438af765-1e39-41b9-9900-25e04468aa4f","eventType":"StepStarted","idempotencyKey":"675c7aebd30f24ab2db9024b9c8fe7b739a04e6d0cf8a941fc13ad1846d36e92","itemIndex":3,"logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:56.978Z","timeoutAt":"2026-11-16T19:41:56.978Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":8,"stepId":"each","tenantId":"local"}',NULL,NULL,X'295a7875655abe9731eef2e0f5b99ccf107da957f276445faa2b6dfa400ec3e8',NULL,1794856017015);
INSERT INTO events VALUES(2,9,'StepStarted',X'e4d31b708c71a55e5404ccc644278693d8875befa885e23f6ddb6838efeb13bc','{"decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T19:06:56.978Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"c70af797-3362-44fe-a142-edf45856b628","eventType":"StepStarted","idempotencyKey":"e4d31b708c71a55e5404ccc644278693d8875befa885e23f6ddb6838efeb13bc","itemIndex":4,"logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:56.978Z","timeoutAt":"2026-11-16T19:41:56.978Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":9,"stepId":"each","tenantId":"local"}',NULL,NULL,X'80c9a9b6a9df722cdfc0413487aff15127f129979e3a64182d548ecf0b84091f',NULL,1794856017015);
INSERT INTO events VALUES(2,10,'StepStarted',X'f04e92f8801e3194089a2c5c3a7ce6df470e7255898e06a2d015391b84f953e1','{"decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T19:06:56.978Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"323a29ba-df95-4a23-a549-045564d151d3","eventType":"StepStarted","idempotencyKey":"f04e92f8801e3194089a2c5c3a7ce6df470e7255898e06a2d015391b84f953e1","itemIndex":5,"logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:56.978Z","timeoutAt":"2026-11-16T19:41:56.978Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":10,"stepId":"each","tenantId":"local"}',NULL,NULL,X'ec394ef7e61241ecac452eb3e4f4645f1542dbc4ef63d3a2fde25271287c4966',NULL,1794856017015);
INSERT INTO events VALUES(2,11,'StepStarted',X'854927051bf448ea94b86c365fe6a731fc4cfbb3019bf47f65842672969d712b','{"decision":{"cause":"cut:3","firstSeq":3},"emittedAt":"2026-11-16T19:06:56.978Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"5075226f-dd9c-4939-ac2f-48f8bce7d181","eventType":"StepStarted","idempotencyKey":"854927051bf448ea94b86c365fe6a731fc4cfbb3019bf47f65842672969d712b","itemIndex":6,"logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:56.978Z","timeoutAt":"2026-11-16T19:41:56.978Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":11,"stepId":"each","tenantId":"local"}',NULL,NULL,X'9d7c3dd892858b485d50679013755065e3992686200435d4f940bfc529a2d15f',NULL,1794856017015);
INSERT INTO events VALUES(2,12,'StepCompleted',X'9709d826f6c38b2052f9e822c7c799cac80b7af87040f55ab11b0d706928c104','{"dataHash":"15616a89b371aec1f4f35f99014ece9100511970c697b88c003bc4bd66142e4e","decision":{"cause":"outcome:each[0]:1:1","firstSeq":12},"emittedAt":"2026-11-16T19:06:57.034Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"3431d39a-14e9-442d-af5d-927bcb472e25","eventType":"StepCompleted","idempotencyKey":"9709d826f6c38b2052f9e822c7c799cac80b7af87040f55ab11b0d706928c104","itemIndex":0,"logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:57.034Z","durationMs":18},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":12,"stepId":"each","tenantId":"local"}','{"result":{"n":1,"was":{}}}',X'0aef16c29f34f3d3f10e6156fcab261d',X'e57795bfa9bc537db5f50558a6b58bb7687a214af6a5fd6574ebb7b4af813ea8','each[0]#1',1794856017035);
INSERT INTO events VALUES(2,13,'StepCompleted',X'c044aac7ee403294bd9c7ff1b080f94ee688470a7e0a13269c09f90b1869772e','{"dataHash":"3af15751d982712e57a5bd4d7fcb9c13ec83790640b7dea46244ea2ae6c54268","decision":{"cause":"outcome:each[1]:1:1","firstSeq":13},"emittedAt":"2026-11-16T19:06:57.035Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"b3b543af-a4ae-4b7c-81af-a9cf6f65772b","eventType":"StepCompleted","idempotencyKey":"c044aac7ee403294bd9c7ff1b080f94ee688470a7e0a13269c09f90b1869772e","itemIndex":1,"logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:57.035Z","durationMs":18},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":13,"stepId":"each","tenantId":"local"}','{"result":{"n":1,"was":{}}}',X'4cd8420ab4c2babe3ce053010c0e4e5a',X'ee278c5af320cd6b6367d510404f5e6f2ec13ec56d215ee3f1155ef313a343ef','each[1]#1',1794856017037);
INSERT INTO events VALUES(2,14,'StepCompleted',X'233f5d27ceb2af9c45e2b696d747beb3e030675a69aa4e528ce4e78d4bafed05','{"dataHash":"9bd7ec3ee03cf2a93695727d1d05f718bda8e0c61662b9061ff50b4e96bffda3","decision":{"cause":"outcome:each[2]:1:1","firstSeq":14},"emittedAt":"2026-11-16T19:06:57.035Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"a0ba3f2f-f98e-49c4-87f6-b5d4778f4a5c","eventType":"StepCompleted","idempotencyKey":"233f5d27ceb2af9c45e2b696d747beb3e030675a69aa4e528ce4e78d4bafed05","itemIndex":2,"logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:57.035Z","durationMs":18},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":14,"stepId":"each","tenantId":"local"}','{"result":{"n":1,"was":{}}}',X'8789c18cc5d29b3e162c9ff94a698ee1',X'361e40715d12340524ee3f2754c93554d4a664033b6f0cfc6722f2f3f2a4d386','each[2]#1',1794856017037);
INSERT INTO events VALUES(2,15,'StepCompleted',X'b8b714d5d12086f771dd2ce99ea154ef1e596f2eaa47caa33593016c77b626ce','{"dataHash":"ff752436d1f5e0447e01d3f0564547564b4b34e7460b9363b51aa8b8fb46d31d","decision":{"cause":"outcome:each[3]:1:1","firstSeq":15},"emittedAt":"2026-11-16T19:06:57.035Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"a9250c92-b39e-49a3-9e8e-3a86422d8546","eventType":"StepCompleted","idempotencyKey":"b8b714d5d12086f771dd2ce99ea154ef1e596f2eaa47caa33593016c77b626ce","itemIndex":3,"logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:57.035Z","durationMs":17},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":15,"stepId":"each","tenantId":"local"}','{"result":{"n":1,"was":{}}}',X'5636fcf2ce0b7345ae767900256a617f',X'e6a9d7f6e677268542e3c92fc32f3b415eda1fc91230508b867ec1ef9965bb5a','each[3]#1',1794856017037);
INSERT INTO events VALUES(2,16,'StepCompleted',X'1bdba670381c2f5cdbdeb90c838a526126904101be99d8abc8e9b93cfafbffb6','{"dataHash":"d1cc53681060f67d7726d72a53d7a9ce87680e0f7cd98f0f5f156eb4002a7142","decision":{"cause":"outcome:each[4]:1:1","firstSeq":16},"emittedAt":"2026-11-16T19:06:57.035Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"9c3fd15d-0acc-41be-8197-cfcff54f8140","eventType":"StepCompleted","idempotencyKey":"1bdba670381c2f5cdbdeb90c838a526126904101be99d8abc8e9b93cfafbffb6","itemIndex":4,"logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:57.035Z","durationMs":17},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":16,"stepId":"each","tenantId":"local"}','{"result":{"n":1,"was":{}}}',X'a446adc255de0017e7abcdb8ba612927',X'abaa7b52e07a8fda91069012d97fbc13a3a49c8f71ede4e5eb876401a70650c5','each[4]#1',1794856017037);
INSERT INTO events VALUES(2,17,'StepCompleted',X'65af52871c9af48ae83e4e9d5a21609ba448bbb8c48b9aa065f7a7808b4a90ac','{"dataHash":"acaa8f8fa67374ceba55db5ac04eaae504ab951e12af03d38c3022bb7a472985","decision":{"cause":"outcome:each[5]:1:1","firstSeq":17},"emittedAt":"2026-11-16T19:06:57.035Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"8cda5405-637b-4dbf-92cc-8178a70a5f3b","eventType":"StepCompleted","idempotencyKey":"65af52871c9af48ae83e4e9d5a21609ba448bbb8c48b9aa065f7a7808b4a90ac","itemIndex":5,"logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:57.035Z","durationMs":17},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":17,"stepId":"each","tenantId":"local"}','{"result":{"n":1,"was":{}}}',X'6e30ad97d462158cbd9a1b48e1979e2e',X'd6c1f84ce43554d0aea730028678afa2692a1ff7f7c15b57679f6a66b058faa8','each[5]#1',1794856017037);
INSERT INTO events VALUES(2,18,'StepCompleted',X'fe2829a4e5083e5aaa33453faa87648e071d1e8820c02e53145b72dbf5e909f3','{"dataHash":"05b230f07aa5c15a50fd68a3d108b8c6cbde35445dcc610a138afa359b73fc58","decision":{"cause":"outcome:each[6]:1:1","firstSeq":18},"emittedAt":"2026-11-16T19:06:57.035Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"126b6b57-64b0-4b71-bcb9-5b1b6eefb3fa","eventType":"StepCompleted","idempotencyKey":"fe2829a4e5083e5aaa33453faa87648e071d1e8820c02e53145b72dbf5e909f3","itemIndex":6,"logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:57.035Z","durationMs":17},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":18,"stepId":"each","tenantId":"local"}','{"result":{"n":1,"was":{}}}',X'8526e0f4b872f96abca1430bac5d18b8',X'aeecffd4a4b3f9c3aba9ceecdc1427f3390b88ff687a7d788b039b2e2ce5c66b','each[6]#1',1794856017037);
INSERT INTO events VALUES(2,19,'StepCompleted',X'05ef2c5430f3cd2d7af4e0a7a235ed0015f96074cb683b0271ddb19cd6fc125b','{"decision":{"cause":"outcome:each[6]:1:1","firstSeq":18},"emittedAt":"2026-11-16T19:06:57.035Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"a967ad0f-8ff5-42fc-bbdb-5ba809177e9b","eventType":"StepCompleted","idempotencyKey":"05ef2c5430f3cd2d7af4e0a7a235ed0015f96074cb683b0271ddb19cd6fc125b","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:57.035Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":19,"stepId":"each","tenantId":"local"}',NULL,NULL,X'9681bda97a99aaaa6b9d6b0a3d95cbba1fa4ac073763abf97dfbb3456dd757cc','each#1',1794856017037);
INSERT INTO events VALUES(2,20,'RunCompleted',X'9382ae7a4752e9bf0ab1d724dee28562c17f27a95bd9f9601dec6a0d879c7008','{"decision":{"cause":"outcome:each[6]:1:1","firstSeq":18},"emittedAt":"2026-11-16T19:06:57.035Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"691fabdb-254a-4e13-b0d6-fcbb89b284ae","eventType":"RunCompleted","idempotencyKey":"9382ae7a4752e9bf0ab1d724dee28562c17f27a95bd9f9601dec6a0d879c7008","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:57.035Z"},"planId":"fan","planVersion":"1.0.0","projectId":"default","runId":"eda0e339-7d54-4350-b530-60214578cea5","runSeq":20,"tenantId":"local"}',NULL,NULL,X'c79764bda30877cb909b243d108b1f595204f656dc591d937d94f87faaa49747',NULL,1794856017037);
INSERT INTO events VALUES(3,1,'RunApproved',X'203164f795087310cdff7565fcead89a16cbee231ab25016c2d9921e169a3966','{"dataHash":"6fddc0901ea174860efcb81eed57c92279846aa00ff64cd4f3b2c800cf3837db","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T19:06:57.058Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"21effce1-261d-4857-8cc7-224565257262","eventType":"RunApproved","idempotencyKey":"203164f795087310cdff7565fcead89a16cbee231ab25016c2d9921e169a3966","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":1,"tenantId":"local"}','{"input":{}}',X'5d01433d2282a2bdbf0ade11dbacb89c',X'aa31cb12946c9704e924cf5d1f54d9af2c66636b38fb65cfeb307505a1e3570b',NULL,1794856017058);
INSERT INTO events VALUES(3,2,'RunStarted',X'75adfe67d26de5d7ede18b40667daa3fcc49d5e54d0f219d9b0398af7b686f04','{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T19:06:57.058Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"5be41ac4-0f31-45c4-be6b-73c837fe6775","eventType":"RunStarted","idempotencyKey":"75adfe67d26de5d7ede18b40667daa3fcc49d5e54d0f219d9b0398af7b686f04","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://1cce885a-e81e-4692-bc25-c40575b17e92","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"failed","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"fcc4f8ef8c490866f49ae6450029fa8fc257c75cc4c24856ab8ad32356c3a2b4","uri":"plan:sha256:fcc4f8ef8c490866f49ae6450029fa8fc257c75cc4c24856ab8ad32356c3a2b4"},"rulesVersion":6,"startedAt":"2026-11-16T19:06:57.058Z","status":"RUNNING"},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":2,"tenantId":"local"}',NULL,NULL,X'66ff8122bfa5934de5755ea22477a37e9580f952e728cdffdabb6e0051472859',NULL,1794856017058);
INSERT INTO events VALUES(3,3,'StepStarted',X'6a66c29c09d171e41a4d4877a4dfae9171b3c573b516397cea1af6818a4d4b42','{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T19:06:57.058Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"c0c3fe71-70f1-430c-af28-0f2f7f4b3b34","eventType":"StepStarted","idempotencyKey":"6a66c29c09d171e41a4d4877a4dfae9171b3c573b516397cea1af6818a4d4b42","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:57.058Z","timeoutAt":"2026-11-16T19:41:57.058Z"},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":3,"stepId":"a","tenantId":"local"}',NULL,NULL,X'd9850953685675abbe7aafb70570eafc091b5afcabca3b8768135423188456b1',NULL,1794856017058);
INSERT INTO events VALUES(3,4,'StepCompleted',X'015bc11e6af6641e1a091ea8f8e51dc00d45490da7f817a4dc42539a74715be8','{"dataHash":"a85052f05c8c8177f3556a41526b8b2946267ee3fb2dbbe151cdde7f02711a38","decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T19:06:57.059Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"fcc4fcba-f5a5-4c35-a296-5acb2498100b","eventType":"StepCompleted","idempotencyKey":"015bc11e6af6641e1a091ea8f8e51dc00d45490da7f817a4dc42539a74715be8","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:06:57.059Z","durationMs":0},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":4,"stepId":"a","tenantId":"local"}','{"result":{"n":1,"was":{}}}',X'2901e76f60f997ac20974425889d1901',X'39fb2c94702884ff5916ed98566c7a3b284305789eafc8033c84af689c2ba895','a#1',1794856017060);
INSERT INTO events VALUES(3,5,'StepStarted',X'fe1fd0354254412bc7376918431705a95a607ffef352144a6a1ea0006916b955','{"decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T19:06:57.059Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"3eb971cc-f866-4706-a1e7-59e3d8b6c407","eventType":"StepStarted","idempotencyKey":"fe1fd0354254412bc7376918431705a95a607ffef352144a6a1ea0006916b955","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:57.059Z","timeoutAt":"2026-11-16T19:41:57.059Z"},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":5,"stepId":"b","tenantId":"local"}',NULL,NULL,X'cf8ea056411c1539042f152bcac952ba4afd68e9bd0648d422bede44d0d03d35',NULL,1794856017060);
INSERT INTO events VALUES(3,6,'StepFailed',X'3535e92c4b8b15c382482d3a248925202abf2c0830cadbeed4ddf2f1233ddecc','{"dataHash":"94aee8a86e64402abc08f25755e839388c229c0173ced7371b782942caf9b45a","decision":{"cause":"outcome:b:1:1","firstSeq":6},"emittedAt":"2026-11-16T19:06:57.061Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"80cdb79b-afc9-4062-94b8-61344c8989be","eventType":"StepFailed","idempotencyKey":"3535e92c4b8b15c382482d3a248925202abf2c0830cadbeed4ddf2f1233ddecc","logicalAttemptId":1,"payload":{"durationMs":0,"error":{"code":"HANDLER_FAILED","errorClass":"unknown","retryable":true},"failedAt":"2026-11-16T19:06:57.061Z","final":false,"retryAt":"2026-11-16T19:06:58.061Z"},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":6,"stepId":"b","tenantId":"local"}','{"errorText":{"message":"no","stackTrace":"Error: no"}}',X'533d77469c2a35728d315848d1b7ab52',X'ed6b13b25f14147f7ef3b9956e86659eb45df1d614a7325a9f8718ac5f0fa07b','b#1',1794856017090);
INSERT INTO events VALUES(3,7,'StepStarted',X'e269a0e288fb9d83a2a5df1e1632b09ff4f4f7c7ccedaeaac6a50d2b3f4132c7','{"decision":{"cause":"timer:retry:b:1","firstSeq":7},"emittedAt":"2026-11-16T19:06:58.065Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"da33272c-443d-4b9d-98dc-ed634008faf8","eventType":"StepStarted","idempotencyKey":"e269a0e288fb9d83a2a5df1e1632b09ff4f4f7c7ccedaeaac6a50d2b3f4132c7","logicalAttemptId":2,"payload":{"epoch":1,"startedAt":"2026-11-16T19:06:58.065Z","timeoutAt":"2026-11-16T19:41:58.065Z"},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":7,"stepId":"b","tenantId":"local"}',NULL,NULL,X'51898e6aeaf57c6db359a74dab6f3242ee0096ddf8542fb26475eeb75cfbb411',NULL,1794856018066);
INSERT INTO events VALUES(3,8,'StepFailed',X'165e442a5e34006a95a36936dabc51fb6dff3c12756acff5d13e15fc1d18e89b','{"dataHash":"af21be693e345d894fd4099615747c066e10c670783abbe57b5b09f910eebc6d","decision":{"cause":"outcome:b:2:1","firstSeq":8},"emittedAt":"2026-11-16T19:06:58.067Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"0d6f91fe-e176-41b8-a11d-473b152e695a","eventType":"StepFailed","idempotencyKey":"165e442a5e34006a95a36936dabc51fb6dff3c12756acff5d13e15fc1d18e89b","logicalAttemptId":2,"payload":{"durationMs":1,"error":{"code":"HANDLER_FAILED","errorClass":"unknown","retryable":true},"failedAt":"2026-11-16T19:06:58.067Z","final":false,"retryAt":"2026-11-16T19:07:00.067Z"},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":8,"stepId":"b","tenantId":"local"}','{"errorText":{"message":"no","stackTrace":"Error: no"}}',X'7c1822f953c43d80f95ddca0210c49c6',X'fd4b4c21230a55dfa00db854adcb772c1b512bb5010e145ce76222469dd21d22','b#2',1794856018068);
INSERT INTO events VALUES(3,9,'StepStarted',X'194b190652621d0f4a00127756914a233d1d7f8754b77d7fd7c43ce2202929b7','{"decision":{"cause":"timer:retry:b:2","firstSeq":9},"emittedAt":"2026-11-16T19:07:00.067Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"bf28c69d-5c56-477c-be9f-1eae903d986d","eventType":"StepStarted","idempotencyKey":"194b190652621d0f4a00127756914a233d1d7f8754b77d7fd7c43ce2202929b7","logicalAttemptId":3,"payload":{"epoch":1,"startedAt":"2026-11-16T19:07:00.067Z","timeoutAt":"2026-11-16T19:42:00.067Z"},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":9,"stepId":"b","tenantId":"local"}',NULL,NULL,X'5dc3212dedc2609a073e625bbc8a0295eb2c6b1a858a9a2c612b785d6c5b142c',NULL,1794856020068);
INSERT INTO events VALUES(3,10,'StepFailed',X'f1b0e5e5dc36f86223ed9310c675bf062b26b520a12eb6d341c42496831918dd','{"dataHash":"605ebc664a94bb8c0c75fe5bf94a75c6ecf063b029f6e6e296abaa519d7e890b","decision":{"cause":"outcome:b:3:1","firstSeq":10},"emittedAt":"2026-11-16T19:07:00.069Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"c052209a-2f0c-4c1d-a022-59bab744fc2d","eventType":"StepFailed","idempotencyKey":"f1b0e5e5dc36f86223ed9310c675bf062b26b520a12eb6d341c42496831918dd","logicalAttemptId":3,"payload":{"durationMs":0,"error":{"code":"HANDLER_FAILED","errorClass":"unknown","retryable":true},"failedAt":"2026-11-16T19:07:00.069Z","final":true},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":10,"stepId":"b","tenantId":"local"}','{"errorText":{"message":"no","stackTrace":"Error: no"}}',X'272bdc25a2ec90e8eb83a8c2244eced9',X'a49237b9488136c80353d19b5000257cf194880f494f465ccc790b32510a82bd','b#3',1794856020071);
INSERT INTO events VALUES(3,11,'CompensationStarted',X'f23eb8e1399b022c61b6aab416536d892edbdfbffc856a19c4ec2a6e986987ef','{"decision":{"cause":"outcome:b:3:1","firstSeq":10},"emittedAt":"2026-11-16T19:07:00.069Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"b281d1cd-2db7-4bb1-bd14-c3444ab4de56","eventType":"CompensationStarted","idempotencyKey":"f23eb8e1399b022c61b6aab416536d892edbdfbffc856a19c4ec2a6e986987ef","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:07:00.069Z","timeoutAt":"2026-11-16T19:42:00.069Z"},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":11,"stepId":"a","tenantId":"local"}',NULL,NULL,X'7bce719c5d9a0e237d824178c7f92d82444c2bede04fe1e7fc98fe0fc3fffaf3',NULL,1794856020071);
INSERT INTO events VALUES(3,12,'CompensationCompleted',X'aea7e817a39fb4dfc1dd397c93822c001cb2c7d6258883a9829319113223b0fd','{"dataHash":"2e00e6ea87ea183c9cc98fe3cc34dbd835f8a2492acdda519051c5f9e8626107","decision":{"cause":"outcome:COMP:a:1:1","firstSeq":12},"emittedAt":"2026-11-16T19:07:00.095Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"5b58ac18-04c5-4c94-885e-fd57d4a85fc5","eventType":"CompensationCompleted","idempotencyKey":"aea7e817a39fb4dfc1dd397c93822c001cb2c7d6258883a9829319113223b0fd","logicalAttemptId":1,"payload":{"completedAt":"2026-11-16T19:07:00.095Z"},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":12,"stepId":"a","tenantId":"local"}','{"result":{"n":1,"was":{"input":{},"output":{"n":1,"was":{}}}}}',X'f8922a9758da5e498ac5e203f0780b83',X'345050713b2a1c88dcfed8964e234f9a02656e928abc692f8d7cfa7a0ffabc09',NULL,1794856020100);
INSERT INTO events VALUES(3,13,'RunFailed',X'f7ae7befe953f846eb03caf00f89c312c540e95a14f2b982ac37b3f3b34c5fee','{"decision":{"cause":"outcome:COMP:a:1:1","firstSeq":12},"emittedAt":"2026-11-16T19:07:00.095Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"c299da84-0778-4dac-83c1-5e94aade7474","eventType":"RunFailed","idempotencyKey":"f7ae7befe953f846eb03caf00f89c312c540e95a14f2b982ac37b3f3b34c5fee","logicalAttemptId":1,"payload":{"compensation":{"actions":[{"attempts":1,"result":"undone","slot":"a"}],"done":1,"failed":0,"notCompensable":0,"slots":["a"],"unfinished":0},"error":{"code":"HANDLER_FAILED","errorClass":"unknown","retryable":false},"failedAt":"2026-11-16T19:07:00.095Z","rootCause":{"attempt":3,"runSeq":10,"slot":"b"}},"planId":"failed","planVersion":"1.0.0","projectId":"default","runId":"1cce885a-e81e-4692-bc25-c40575b17e92","runSeq":13,"tenantId":"local"}',NULL,NULL,X'a18c3e4abf1841116dcd2893eddd9e86aed1525e846f03ef0828b59d052d06b8',NULL,1794856020100);
INSERT INTO events VALUES(4,1,'RunApproved',X'9adf872ff6b1dbda6841cde4e9ade097c5bdb11bc287dd6a1b95de9eb39cac11','{"dataHash":"384792b0c1c0916c0040a1f7420e148d8b2c1b5c5f974dcb79f70d28ccd60ee4","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T19:07:00.120Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"ed7a6b4f-66ad-4a34-afbe-7864175b07cb","eventType":"RunApproved","idempotencyKey":"9adf872ff6b1dbda6841cde4e9ade097c5bdb11bc287dd6a1b95de9eb39cac11","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"erased","planVersion":"1.0.0","projectId":"default","runId":"9ebba217-feab-43b4-9c1c-e95bd9b5e8b5","runSeq":1,"tenantId":"local"}',NULL,NULL,X'74ace6695c1ecd8c4c7f8306a504f0622b38f6335a555f878c0807c744431e73',NULL,1794856020120);
INSERT INTO events VALUES(4,2,'RunStarted',X'6482fe6091c711e6aeed0a5e93e56a2d1e23246c94e99d3e22db7779f21224ed','{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T19:07:00.120Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"aeb3788e-1355-46ba-88b8-191bc027a26a","eventType":"RunStarted","idempotencyKey":"6482fe6091c711e6aeed0a5e93e56a2d1e23246c94e99d3e22db7779f21224ed","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://9ebba217-feab-43b4-9c1c-e95bd9b5e8b5","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"erased","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"95b7b442c35b4abe6e094b76eda26b30be6c383deb91611c9c990a2ecca5939b","uri":"plan:sha256:95b7b442c35b4abe6e094b76eda26b30be6c383deb91611c9c990a2ecca5939b"},"rulesVersion":6,"startedAt":"2026-11-16T19:07:00.120Z","status":"RUNNING"},"planId":"erased","planVersion":"1.0.0","projectId":"default","runId":"9ebba217-feab-43b4-9c1c-e95bd9b5e8b5","runSeq":2,"tenantId":"local"}',NULL,NULL,X'611232b72265eb7742dd52c885557067e2afa982ef1e02908fb7eccd9187ed0c',NULL,1794856020120);
INSERT INTO events VALUES(4,3,'StepStarted',X'64b35abe8f66317854fb442af3ebc0a85c73a195f1cb9800106f5ccc035b1d15','{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T19:07:00.120Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"b8741bfc-932a-460f-a12d-12bc873d725a","eventType":"StepStarted","idempotencyKey":"64b35abe8f66317854fb442af3ebc0a85c73a195f1cb9800106f5ccc035b1d15","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:07:00.120Z","timeoutAt":"2026-11-16T19:42:00.120Z"},"planId":"erased","planVersion":"1.0.0","projectId":"default","runId":"9ebba217-feab-43b4-9c1c-e95bd9b5e8b5","runSeq":3,"stepId":"a","tenantId":"local"}',NULL,NULL,X'58b2d3f789c4031691db24531906e60222e57ee180ccc01867d16302b9d38a4a',NULL,1794856020120);
INSERT INTO events VALUES(4,4,'StepCompleted',X'863427a3bfb0e088a8aec13aaa533f228599d7382f6614e0ea43007d061c44d3','{"dataHash":"64509be6a828fa6224829ef067acf0a163c0a9902341e877ab8707347b4399fb","decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T19:07:00.128Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"6c1da573-e4c8-4cd6-b71c-53c72b1ef8b1","eventType":"StepCompleted","idempotencyKey":"863427a3bfb0e088a8aec13aaa533f228599d7382f6614e0ea43007d061c44d3","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:07:00.128Z","durationMs":7},"planId":"erased","planVersion":"1.0.0","projectId":"default","runId":"9ebba217-feab-43b4-9c1c-e95bd9b5e8b5","runSeq":4,"stepId":"a","tenantId":"local"}',NULL,NULL,X'ae1a1bd712b79b3453e9586bb4176eef97f20cf67c321fccf31c54685b4fc208','a#1',1794856020129);
INSERT INTO events VALUES(4,5,'RunCompleted',X'38dcf923a16b3c4cc00cd242b3992250e90dcf5ccd394c49b92fde4520058d47','{"decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T19:07:00.128Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"ff649bbc-1317-4b86-8489-be9095ba608a","eventType":"RunCompleted","idempotencyKey":"38dcf923a16b3c4cc00cd242b3992250e90dcf5ccd394c49b92fde4520058d47","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:07:00.128Z"},"planId":"erased","planVersion":"1.0.0","projectId":"default","runId":"9ebba217-feab-43b4-9c1c-e95bd9b5e8b5","runSeq":5,"tenantId":"local"}',NULL,NULL,X'0a5130dc8615673d6e9a1378b1418ad092e3cef3f2a1a22df147b319477d73db',NULL,1794856020129);
INSERT INTO events VALUES(4,6,'ErasureRecorded',X'd32527b806ece4ba550de28b4c4236c98f6e0d011f6f14262b12950c9becbde4','{"decision":{"cause":"erase","firstSeq":6},"emittedAt":"2026-11-16T19:07:00.174Z","emittedBy":"system","engineAttemptId":1,"environmentId":"local","eventId":"28eb3047-019a-4d4a-857b-6da80604067b","eventType":"ErasureRecorded","idempotencyKey":"d32527b806ece4ba550de28b4c4236c98f6e0d011f6f14262b12950c9becbde4","logicalAttemptId":1,"payload":{"erasedUpTo":5,"reason":"asked for","signed":{"keyId":"9351f2a465c08119","signature":"46af049f07f158d5418895f9c1810b3c27360ec5c155486d1df2ef2a5294ed3636ca3efabd579f849f16cc7cf6c2887aaf68cc67749641915347b76243694c0a"}},"planId":"erased","planVersion":"1.0.0","projectId":"default","runId":"9ebba217-feab-43b4-9c1c-e95bd9b5e8b5","runSeq":6,"tenantId":"local"}',NULL,NULL,X'302cdcfcada13e4afc9ac577ca12c149c5ae9cb4f379a708e0a5460db72b6c98',NULL,1794856020174);
INSERT INTO events VALUES(6,1,'RunApproved',X'94e3f9554a4c9c7125741fca20277efe909314ae58ad65f780f4cacff56fe8cc','{"dataHash":"82dfb784c3d222a42f1fcbd45e0d990551aa3e34173d03d306b0d87871649876","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T19:07:00.230Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"cd706d9f-df85-47c2-9dae-3130877329c1","eventType":"RunApproved","idempotencyKey":"94e3f9554a4c9c7125741fca20277efe909314ae58ad65f780f4cacff56fe8cc","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"manual","planVersion":"1.0.0","projectId":"default","runId":"7ba55fcd-105c-4c78-bf36-dbadaddbc858","runSeq":1,"tenantId":"local"}','{"input":{}}',X'728d247a127c133622edfbcede7daea3',X'dfa659140b3d9fd7a2372876b52b8d253df9f13a5703542d873d6d45f4864a19',NULL,1794856020231);
INSERT INTO events VALUES(6,2,'RunStarted',X'07cbc1aa93a0c118e48409b048cdce83e657cf7f440ee1bda5db15dfa1fd21c4','{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T19:07:00.230Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"6657dfc3-a64f-48dd-90fa-c0a8f440db1b","eventType":"RunStarted","idempotencyKey":"07cbc1aa93a0c118e48409b048cdce83e657cf7f440ee1bda5db15dfa1fd21c4","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://7ba55fcd-105c-4c78-bf36-dbadaddbc858","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"manual","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"18b050fb69353af57c23f1e0fa0c6ec0f2c3b0fc226ba2eb3d14cf59d0552976","uri":"plan:sha256:18b050fb69353af57c23f1e0fa0c6ec0f2c3b0fc226ba2eb3d14cf59d0552976"},"rulesVersion":6,"startedAt":"2026-11-16T19:07:00.230Z","status":"RUNNING"},"planId":"manual","planVersion":"1.0.0","projectId":"default","runId":"7ba55fcd-105c-4c78-bf36-dbadaddbc858","runSeq":2,"tenantId":"local"}',NULL,NULL,X'4aa16c4b6af57418eae4b9489eb888e5426113900b80bd9eb899ad2c04a5a275',NULL,1794856020231);
INSERT INTO events VALUES(6,3,'StepStarted',X'417fbbd5eb7ef6a87f5da418d35c8966d5677d8ec8fd758d284b9fa294160ae4','{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T19:07:00.230Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"7f8e1006-8f64-4582-b6ae-8d8b80285ea4","eventType":"StepStarted","idempotencyKey":"417fbbd5eb7ef6a87f5da418d35c8966d5677d8ec8fd758d284b9fa294160ae4","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:07:00.230Z","timeoutAt":"2026-11-16T19:42:00.230Z"},"planId":"manual","planVersion":"1.0.0","projectId":"default","runId":"7ba55fcd-105c-4c78-bf36-dbadaddbc858","runSeq":3,"stepId":"a","tenantId":"local"}',NULL,NULL,X'4e02443093086707b5af9d9a301f641fcb797548756192e63fe05f4af31eb329',NULL,1794856020231);
INSERT INTO events VALUES(6,4,'StepCompleted',X'86148810d7a9c479877dd8166d48318c7bff45bb8f5bb4ec0848c3c2f2882c64','{"dataHash":"66eb293c1b8dfd4053d49b1b5ccc5784f65877b7265cd9444f6794ccaeef7fcb","decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T19:07:00.232Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"95a21d95-6f45-417f-b2a3-0ded0da9b4f7","eventType":"StepCompleted","idempotencyKey":"86148810d7a9c479877dd8166d48318c7bff45bb8f5bb4ec0848c3c2f2882c64","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:07:00.232Z","durationMs":0},"planId":"manual","planVersion":"1.0.0","projectId":"default","runId":"7ba55fcd-105c-4c78-bf36-dbadaddbc858","runSeq":4,"stepId":"a","tenantId":"local"}','{"result":{"n":1,"was":{}}}',X'f06f396752e7fd47b5edf6cc5b8e7ba8',X'07b05df234405f23172bc75efc39a6579de3199f8f5eb7fc88417b60005f716e','a#1',1794856020233);
INSERT INTO events VALUES(6,5,'StepStarted',X'24bab8862b58e8856a3d064e32f6f3dc161b647940bb1f2d880156d13bfab6ea','{"decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T19:07:00.232Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"30b06b98-f054-4e6a-924a-ca7fcaad20d4","eventType":"StepStarted","idempotencyKey":"24bab8862b58e8856a3d064e32f6f3dc161b647940bb1f2d880156d13bfab6ea","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:07:00.232Z"},"planId":"manual","planVersion":"1.0.0","projectId":"default","runId":"7ba55fcd-105c-4c78-bf36-dbadaddbc858","runSeq":5,"stepId":"ok","tenantId":"local"}',NULL,NULL,X'f62f1d392b5b1d4e5d781dfd4b0a089f9e507edb43f9b415275cc3de265a46e7',NULL,1794856020233);
INSERT INTO events VALUES(6,6,'ManualTaskOpened',X'c0b5ce40f2f38561b21da2db75b88f746308e982682dee73fd766a0b4590e8bd','{"decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T19:07:00.232Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"93d3b6c3-6f89-4b7b-98b0-5987626790d6","eventType":"ManualTaskOpened","idempotencyKey":"c0b5ce40f2f38561b21da2db75b88f746308e982682dee73fd766a0b4590e8bd","logicalAttemptId":1,"payload":{"attempt":1,"openedAt":"2026-11-16T19:07:00.232Z"},"planId":"manual","planVersion":"1.0.0","projectId":"default","runId":"7ba55fcd-105c-4c78-bf36-dbadaddbc858","runSeq":6,"stepId":"ok","tenantId":"local"}',NULL,NULL,X'cf0048d3a6dbf15d4941af4694eb5682dd482ff850b6bc5a55c39269a34cacbd',NULL,1794856020233);
INSERT INTO events VALUES(7,1,'RunApproved',X'a636b3eaae546a4af926c214a67d11f76bad0e001a9dfbdce0078003c1f8d2ea','{"dataHash":"5bed31bb755679dc0a710f1f9c5d6269742d0380a61efdd536d864237a1fbabb","decision":{"cause":"admit","firstSeq":1},"emittedAt":"2026-11-16T19:07:00.734Z","emittedBy":"planner","engineAttemptId":1,"environmentId":"local","eventId":"0307f415-39ab-4980-a534-e3a634f965b3","eventType":"RunApproved","idempotencyKey":"a636b3eaae546a4af926c214a67d11f76bad0e001a9dfbdce0078003c1f8d2ea","logicalAttemptId":1,"payload":{"approvedBy":"policy:auto","origin":{}},"planId":"held","planVersion":"1.0.0","projectId":"default","runId":"bdbd39d3-40cf-4b63-8482-cd3501e55986","runSeq":1,"tenantId":"local"}','{"input":{}}',X'295a2f84dc80e55ad3b7d391810517ac',X'029c0d53cfd88ab0ea048130dcf3b35134e03bb57b947846a836a15b5b5b371a',NULL,1794856020768);
INSERT INTO events VALUES(7,2,'RunStarted',X'cc1df286f7323d672641d6e58ad253c3f85dcfcb25fcc9f57a7e3cccca5ef07b','{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T19:07:00.734Z","emittedBy":"engine","engineAttemptId":1,"environmentId":"local","eventId":"4c895cae-2a59-45d5-9294-4c3b8e9d9108","eventType":"RunStarted","idempotencyKey":"cc1df286f7323d672641d6e58ad253c3f85dcfcb25fcc9f57a7e3cccca5ef07b","logicalAttemptId":1,"payload":{"context":{"environmentId":"local","projectId":"default","tenantId":"local","triggerSource":"manual","triggeredBy":"local"},"engineRunRef":"embedded://bdbd39d3-40cf-4b63-8482-cd3501e55986","engineType":"embedded","epoch":1,"maxInFlight":10000,"planRef":{"planId":"held","planVersion":"1.0.0","schemaVersion":"v1.0","sha256":"10b6f962ec341e0fe960648a30c76cf24734790b8ded9926ffbf5ed9b4b66dfa","uri":"plan:sha256:10b6f962ec341e0fe960648a30c76cf24734790b8ded9926ffbf5ed9b4b66dfa"},"rulesVersion":6,"startedAt":"2026-11-16T19:07:00.734Z","status":"RUNNING"},"planId":"held","planVersion":"1.0.0","projectId":"default","runId":"bdbd39d3-40cf-4b63-8482-cd3501e55986","runSeq":2,"tenantId":"local"}',NULL,NULL,X'fe64b8f730d3df66b8a755d6815f894288b972e9c4468f3cca68764ee30334d5',NULL,1794856020768);
INSERT INTO events VALUES(7,3,'StepStarted',X'13caa13401e509e0e2502054521e47c2d4e5e3f65f3f956c55f59f6dad92d63e','{"decision":{"cause":"start","firstSeq":2},"emittedAt":"2026-11-16T19:07:00.734Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"cf4d2833-4d5c-47bc-aa51-bf10e6646b0a","eventType":"StepStarted","idempotencyKey":"13caa13401e509e0e2502054521e47c2d4e5e3f65f3f956c55f59f6dad92d63e","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:07:00.734Z","timeoutAt":"2026-11-16T19:42:00.734Z"},"planId":"held","planVersion":"1.0.0","projectId":"default","runId":"bdbd39d3-40cf-4b63-8482-cd3501e55986","runSeq":3,"stepId":"a","tenantId":"local"}',NULL,NULL,X'10eab3dec568e8f13c09d022151c6306cda043093d2428896b365fec924d0a02',NULL,1794856020768);
INSERT INTO events VALUES(7,4,'StepCompleted',X'72ad375a10b48de32e1f8d1ff04123f2fdf4c1c58ee84f190982e91576546d32','{"dataHash":"3173dd78a746bffff5592f87d44071981a74526c0eef893462113dccc1876693","decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T19:07:00.769Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"eaa102d2-3e88-446a-bc5c-e0440cc57976","eventType":"StepCompleted","idempotencyKey":"72ad375a10b48de32e1f8d1ff04123f2fdf4c1c58ee84f190982e91576546d32","logicalAttemptId":1,"payload":{"artifactRefs":[],"completedAt":"2026-11-16T19:07:00.769Z","durationMs":0},"planId":"held","planVersion":"1.0.0","projectId":"default","runId":"bdbd39d3-40cf-4b63-8482-cd3501e55986","runSeq":4,"stepId":"a","tenantId":"local"}','{"result":{"n":1,"was":{}}}',X'02f7823028e0e2cf9e21aea79d2fe24e',X'07236d7b225a9820c17af9ffdc3fff670b70f0c49cf5bef3599b72adc12e73a6','a#1',1794856020770);
INSERT INTO events VALUES(7,5,'StepStarted',X'4fa5c99891aa6340521afaebbfee6df53408387f85cb8936c707a235440fbc78','{"decision":{"cause":"outcome:a:1:1","firstSeq":4},"emittedAt":"2026-11-16T19:07:00.769Z","emittedBy":"activity-worker","engineAttemptId":1,"environmentId":"local","eventId":"edf1d015-141c-440c-aeee-237473cb780e","eventType":"StepStarted","idempotencyKey":"4fa5c99891aa6340521afaebbfee6df53408387f85cb8936c707a235440fbc78","logicalAttemptId":1,"payload":{"epoch":1,"startedAt":"2026-11-16T19:07:00.769Z","timeoutAt":"2026-11-16T19:42:00.769Z"},"planId":"held","planVersion":"1.0.0","projectId":"default","runId":"bdbd39d3-40cf-4b63-8482-cd3501e55986","runSeq":5,"stepId":"b","tenantId":"local"}',NULL,NULL,X'531c980b114c015cba41481cfb2319618f8d0ecf9320e82851c93094311851fa',NULL,1794856020770);
CREATE TABLE erasure_tickets (
  run_key INTEGER PRIMARY KEY,
  up_to_seq INTEGER NOT NULL
) STRICT;
CREATE TABLE archive_tickets (
  run_key INTEGER PRIMARY KEY,
  head_hash BLOB NOT NULL,
  archived INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO archive_tickets VALUES(5,X'8195f38c3918192bcc8682d98df03d3201a726b9a8eba65043af58d9241ed7ae',1);
CREATE TABLE log_gate (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  open INTEGER NOT NULL
) STRICT;
INSERT INTO log_gate VALUES(1,0);
CREATE TABLE run_inbox (
  inbox_pos INTEGER PRIMARY KEY,
  run_key INTEGER NOT NULL,
  inbox_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  -- Hex, once the body was erased: enough to recognise a repeat.
  body_sha256 TEXT,
  inserted_at INTEGER NOT NULL,
  consumed_seq INTEGER,
  UNIQUE (run_key, inbox_id)
) STRICT;
CREATE TABLE run_context (
  run_key INTEGER NOT NULL,
  variable TEXT NOT NULL,
  seq INTEGER NOT NULL,
  value TEXT NOT NULL,
  UNIQUE (run_key, variable, seq)
) STRICT;
CREATE TABLE run_blobs (
  run_key INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (run_key, sha256)
) STRICT;
INSERT INTO run_blobs VALUES(2,'cc9cd81c3110bc37d6c9bfd30bce0267b6cbfc3ffef7fb9abdc8615e42d10575','[1,2,3,4,5,6,7]');
CREATE TABLE run_snapshots (
  run_key INTEGER NOT NULL,
  kind TEXT NOT NULL,
  seq INTEGER NOT NULL,
  rules_version INTEGER NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (run_key, kind, seq)
) STRICT;
CREATE TABLE step_claims (
  claim_pos INTEGER PRIMARY KEY,
  run_key INTEGER NOT NULL,
  slot TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  claimant TEXT NOT NULL,
  UNIQUE (run_key, slot, attempt)
) STRICT;
CREATE TABLE scope_pauses (
  pause_pos INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  pause_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  reason TEXT,
  active INTEGER NOT NULL,
  UNIQUE (tenant_id, pause_id)
) STRICT;
CREATE TABLE pools (
  pool TEXT PRIMARY KEY,
  capacity INTEGER NOT NULL,
  -- NULL unless the pool is a quota; then `used` counts what was taken in the window of that number.
  window_ms INTEGER,
  window_number INTEGER NOT NULL DEFAULT 0,
  used INTEGER NOT NULL DEFAULT 0,
  breaker_failures INTEGER,
  breaker_open_ms INTEGER,
  -- Failures in a row, and the end of the breaker's last opening until a release says that all is well.
  failures INTEGER NOT NULL DEFAULT 0,
  open_until INTEGER,
  -- The attempt that was let through after that end.
  probe TEXT,
  turn INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE pool_tenants (
  pool TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  PRIMARY KEY (pool, tenant_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE grant_holds (
  run_key INTEGER NOT NULL,
  slot TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  pool TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (run_key, slot, attempt, pool)
) STRICT, WITHOUT ROWID;
CREATE TABLE grant_waits (
  pool TEXT NOT NULL,
  place INTEGER NOT NULL,
  run_key INTEGER NOT NULL,
  slot TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  tenant_id TEXT NOT NULL,
  priority REAL NOT NULL,
  amount INTEGER NOT NULL,
  run_turn INTEGER NOT NULL,
  since INTEGER NOT NULL,
  offers INTEGER NOT NULL DEFAULT 0,
  offered_until INTEGER,
  bypassed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (pool, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE feed_cursors (
  subscriber TEXT PRIMARY KEY,
  feed_pos INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO feed_cursors VALUES('all/half',8);
INSERT INTO feed_cursors VALUES('receipts',21);
CREATE TABLE feed_positions (
  subscriber TEXT NOT NULL,
  run_key INTEGER NOT NULL,
  settled_seq INTEGER NOT NULL,
  PRIMARY KEY (subscriber, run_key)
) STRICT, WITHOUT ROWID;
INSERT INTO feed_positions VALUES('all/half',1,9);
INSERT INTO feed_positions VALUES('all/half',2,20);
INSERT INTO feed_positions VALUES('receipts',1,9);
INSERT INTO feed_positions VALUES('receipts',2,20);
INSERT INTO feed_positions VALUES('receipts',3,13);
INSERT INTO feed_positions VALUES('receipts',4,6);
CREATE TABLE feed_backlog (
  subscriber TEXT NOT NULL,
  run_key INTEGER NOT NULL,
  retry_at INTEGER NOT NULL,
  -- Failed deliveries of the first event that is not settled; 0 when none failed.
  attempts INTEGER NOT NULL,
  PRIMARY KEY (subscriber, run_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE feed_dead (
  dead_pos INTEGER PRIMARY KEY,
  subscriber TEXT NOT NULL,
  run_key INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  error TEXT NOT NULL,
  dead_at INTEGER NOT NULL,
  UNIQUE (subscriber, run_key, seq)
) STRICT;
CREATE TABLE status_counts (
  tenant_id TEXT NOT NULL,
  status TEXT NOT NULL,
  runs INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, status)
) STRICT, WITHOUT ROWID;
INSERT INTO status_counts VALUES('local','COMPLETED',4);
INSERT INTO status_counts VALUES('local','FAILED',1);
INSERT INTO status_counts VALUES('local','RUNNING',2);
CREATE TABLE IF NOT EXISTS "plans" (
  plan_pos INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  sha256 TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  plan_version TEXT NOT NULL,
  text TEXT NOT NULL,
  replaces INTEGER NOT NULL,
  UNIQUE (tenant_id, sha256)
) STRICT;
INSERT INTO plans VALUES(1,'local','f0c8bf1966b78c608e5bf83464c655fd8b38e4dd5f19b585d38ba5f44a67fbae','chain','1.0.0','{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"chain","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"run":"f","stepId":"a","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":2,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"run":"say","stepId":"b","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":3,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"run":"big","stepId":"c","timeoutMs":300000,"with":{}}]}',0);
INSERT INTO plans VALUES(2,'local','dfc6cf2252b2a4017b2bb6e08482c0e2955e7680726d7135cafd3419cd53394d','fan','1.0.0','{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"fan","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"forEach":"input.list","isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"run":"f","stepId":"each","timeoutMs":300000,"with":{}}]}',0);
INSERT INTO plans VALUES(3,'local','fcc4f8ef8c490866f49ae6450029fa8fc257c75cc4c24856ab8ad32356c3a2b4','failed','1.0.0','{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"failed","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"compensate":{"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":2,"maxBackoffMs":10000},"run":"f","timeoutMs":300000,"with":{"input":"${step.input}","output":"${step.output}"}},"effect":"compensatable","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"run":"f","stepId":"a","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":2,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"run":"bad","stepId":"b","timeoutMs":300000,"with":{}}]}',0);
INSERT INTO plans VALUES(4,'local','95b7b442c35b4abe6e094b76eda26b30be6c383deb91611c9c990a2ecca5939b','erased','1.0.0','{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"erased","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"run":"say","stepId":"a","timeoutMs":300000,"with":{}}]}',0);
INSERT INTO plans VALUES(5,'local','babde0fd6f0ac78013867a113812fb66636b8f3b74ee3a412af6b7dc5778a09f','shelved','1.0.0','{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"shelved","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"run":"f","stepId":"a","timeoutMs":300000,"with":{}}]}',0);
INSERT INTO plans VALUES(6,'local','18b050fb69353af57c23f1e0fa0c6ec0f2c3b0fc226ba2eb3d14cf59d0552976','manual','1.0.0','{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"manual","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"run":"f","stepId":"a","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","manual":{"title":"sign"},"order":2,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"stepId":"ok","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":3,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"run":"f","stepId":"z","timeoutMs":300000,"with":{}}]}',0);
INSERT INTO plans VALUES(7,'local','10b6f962ec341e0fe960648a30c76cf24734790b8ded9926ffbf5ed9b4b66dfa','held','1.0.0','{"context":{},"metadata":{"fallbackBehavior":"reject","planId":"held","planVersion":"1.0.0","targetAdapter":"any"},"policy":{"concurrency":10,"onFailure":"failFast","retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"timeoutMs":300000},"schemaVersion":"v1.0","steps":[{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":1,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"run":"f","stepId":"a","timeoutMs":300000,"with":{}},{"effect":"idempotent","fallbackOn":["exhausted"],"isolation":"inline","order":2,"priority":0,"retry":{"backoffMultiplier":2,"initialBackoffMs":1000,"maxAttempts":3,"maxBackoffMs":30000},"run":"held","stepId":"b","timeoutMs":300000,"with":{}}]}',0);
CREATE TABLE plan_publications (
  publication_pos INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  plan_version TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  replaces INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS "runs" (
  run_key INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  project_id TEXT NOT NULL,
  environment_id TEXT NOT NULL,
  plan_id TEXT NOT NULL,
  plan_version TEXT NOT NULL,
  plan_sha256 TEXT NOT NULL,
  engine_type TEXT NOT NULL,
  engine_run_ref TEXT NOT NULL,
  request_key TEXT,
  original_run_id TEXT,
  parent_run_id TEXT,
  parent_slot TEXT,
  parent_attempt INTEGER,
  triggered_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  next_seq INTEGER NOT NULL,
  head_hash BLOB NOT NULL,
  -- Store-wide counter, raised by every append (P-50).
  feed_pos INTEGER NOT NULL,
  status TEXT NOT NULL,
  substatus TEXT,
  next_wake_at INTEGER,
  rules_version INTEGER NOT NULL,
  min_rules_version INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  steps_total INTEGER NOT NULL,
  steps_done INTEGER NOT NULL,
  steps_failed INTEGER NOT NULL,
  error_code TEXT,
  -- 1 while work is in flight: without a lease its driver is gone.
  owed INTEGER NOT NULL,
  lease_owner TEXT,
  lease_until INTEGER,
  quarantine TEXT,
  -- Since when the oldest unconsumed inbox row waits; NULL when none does.
  inbox_since INTEGER,
  archived_at INTEGER,
  archived_to TEXT,
  deaths INTEGER NOT NULL DEFAULT 0
, doing TEXT, died_doing TEXT, taken_epoch INTEGER) STRICT;
INSERT INTO runs VALUES(1,'753efe8e-e7a5-4243-8057-178921f6843d','local','default','local','chain','1.0.0','f0c8bf1966b78c608e5bf83464c655fd8b38e4dd5f19b585d38ba5f44a67fbae','embedded','embedded://753efe8e-e7a5-4243-8057-178921f6843d',NULL,NULL,NULL,NULL,NULL,'local',1794856016848,1794856016934,1,10,X'141745efbdc69dc94f883d717c88a4279f72c1de3961afb787bacff8eee3d3e4',4,'COMPLETED',NULL,NULL,6,6,1794856016826,1794856016913,3,3,0,NULL,0,'host|1|2#3',1794856026809,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO runs VALUES(2,'eda0e339-7d54-4350-b530-60214578cea5','local','default','local','fan','1.0.0','dfc6cf2252b2a4017b2bb6e08482c0e2955e7680726d7135cafd3419cd53394d','embedded','embedded://eda0e339-7d54-4350-b530-60214578cea5',NULL,NULL,NULL,NULL,NULL,'local',1794856016960,1794856017037,1,21,X'c79764bda30877cb909b243d108b1f595204f656dc591d937d94f87faaa49747',8,'COMPLETED',NULL,NULL,6,6,1794856016959,1794856017035,1,1,0,NULL,0,'host|1|2#3',1794856026959,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO runs VALUES(3,'1cce885a-e81e-4692-bc25-c40575b17e92','local','default','local','failed','1.0.0','fcc4f8ef8c490866f49ae6450029fa8fc257c75cc4c24856ab8ad32356c3a2b4','embedded','embedded://1cce885a-e81e-4692-bc25-c40575b17e92',NULL,NULL,NULL,NULL,NULL,'local',1794856017058,1794856020100,1,14,X'a18c3e4abf1841116dcd2893eddd9e86aed1525e846f03ef0828b59d052d06b8',16,'FAILED',NULL,NULL,6,6,1794856017058,1794856020095,2,1,1,'HANDLER_FAILED',0,'host|1|2#3',1794856027057,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO runs VALUES(4,'9ebba217-feab-43b4-9c1c-e95bd9b5e8b5','local','default','local','erased','1.0.0','95b7b442c35b4abe6e094b76eda26b30be6c383deb91611c9c990a2ecca5939b','embedded','embedded://9ebba217-feab-43b4-9c1c-e95bd9b5e8b5',NULL,NULL,NULL,NULL,NULL,'local',1794856020120,1794856020174,1,7,X'302cdcfcada13e4afc9ac577ca12c149c5ae9cb4f379a708e0a5460db72b6c98',19,'COMPLETED',NULL,NULL,6,6,1794856020120,1794856020128,1,1,0,NULL,0,'host|1|2#3',1794856030117,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO runs VALUES(5,'9e85268b-37e2-4996-9ca8-70a84756c9f7','local','default','local','shelved','1.0.0','babde0fd6f0ac78013867a113812fb66636b8f3b74ee3a412af6b7dc5778a09f','embedded','embedded://9e85268b-37e2-4996-9ca8-70a84756c9f7',NULL,NULL,NULL,NULL,NULL,'local',1794856020187,1794856020188,1,6,X'8195f38c3918192bcc8682d98df03d3201a726b9a8eba65043af58d9241ed7ae',21,'COMPLETED',NULL,NULL,6,6,1794856020186,1794856020188,1,1,0,NULL,0,'host|1|2#3',1794856030185,NULL,NULL,1794856020227,'shelf',0,NULL,NULL,NULL);
INSERT INTO runs VALUES(6,'7ba55fcd-105c-4c78-bf36-dbadaddbc858','local','default','local','manual','1.0.0','18b050fb69353af57c23f1e0fa0c6ec0f2c3b0fc226ba2eb3d14cf59d0552976','embedded','embedded://7ba55fcd-105c-4c78-bf36-dbadaddbc858',NULL,NULL,NULL,NULL,NULL,'local',1794856020231,1794856020233,1,7,X'cf0048d3a6dbf15d4941af4694eb5682dd482ff850b6bc5a55c39269a34cacbd',23,'RUNNING',NULL,NULL,6,6,1794856020230,NULL,3,1,0,NULL,0,'host|1|2#3',1794856030230,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL);
INSERT INTO runs VALUES(7,'bdbd39d3-40cf-4b63-8482-cd3501e55986','local','default','local','held','1.0.0','10b6f962ec341e0fe960648a30c76cf24734790b8ded9926ffbf5ed9b4b66dfa','embedded','embedded://bdbd39d3-40cf-4b63-8482-cd3501e55986',NULL,NULL,NULL,NULL,NULL,'local',1794856020768,1794856020770,1,6,X'531c980b114c015cba41481cfb2319618f8d0ecf9320e82851c93094311851fa',25,'RUNNING',NULL,1794858120734,6,6,1794856020734,NULL,2,1,0,NULL,1,'host|1|2#3',1794856030733,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL);
CREATE TABLE sent_events (
  event_pos INTEGER PRIMARY KEY,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  event_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- Empty for an event without a key.
  event_key TEXT NOT NULL,
  -- Canonical JSON. After an erasure: the JSON null, and beside it the hash of what it was.
  data TEXT NOT NULL,
  data_sha256 TEXT,
  sent_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE event_waits (
  run_key INTEGER NOT NULL,
  slot TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  name TEXT NOT NULL,
  event_key TEXT NOT NULL,
  PRIMARY KEY (run_key, slot, attempt)
) STRICT, WITHOUT ROWID;
CREATE TABLE run_labels (
  run_key INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  tenant_id TEXT NOT NULL CHECK (tenant_id <> ''),
  -- As the run's own, so that a list walks the index in its order.
  created_at INTEGER NOT NULL,
  PRIMARY KEY (run_key, name)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX events_terminal_slot ON events (run_key, terminal_slot) WHERE terminal_slot IS NOT NULL;
CREATE UNIQUE INDEX events_idempotency_key ON events (run_key, idempotency_key);
CREATE INDEX run_inbox_unconsumed ON run_inbox (run_key) WHERE consumed_seq IS NULL;
CREATE INDEX grant_holds_pool ON grant_holds (pool);
CREATE UNIQUE INDEX grant_waits_slot ON grant_waits (run_key, slot, attempt, pool);
CREATE INDEX grant_waits_place ON grant_waits (place);
CREATE INDEX grant_waits_turn ON grant_waits (pool, run_key, run_turn);
CREATE INDEX grant_waits_offered ON grant_waits (pool, offered_until, amount) WHERE offered_until IS NOT NULL;
CREATE INDEX grant_waits_starving ON grant_waits (pool, place) WHERE bypassed >= 10;
CREATE INDEX feed_backlog_due ON feed_backlog (subscriber, retry_at);
CREATE INDEX feed_backlog_run ON feed_backlog (run_key);
CREATE INDEX feed_positions_run ON feed_positions (run_key);
CREATE INDEX feed_dead_order ON feed_dead (subscriber, dead_pos);
CREATE INDEX feed_dead_run ON feed_dead (run_key);
CREATE INDEX grant_waits_amount ON grant_waits (pool, amount);
CREATE INDEX plans_by_version ON plans (tenant_id, plan_id, plan_version);
CREATE UNIQUE INDEX plans_first ON plans (tenant_id, plan_id, plan_version) WHERE replaces = 0;
CREATE INDEX plan_publications_by_id ON plan_publications (tenant_id, plan_id);
CREATE INDEX plan_publications_by_version ON plan_publications (tenant_id, plan_id, plan_version);
CREATE UNIQUE INDEX plan_publications_first ON plan_publications (tenant_id, plan_id, plan_version)
  WHERE replaces = 0;
CREATE UNIQUE INDEX runs_id ON runs (tenant_id, run_id);
CREATE UNIQUE INDEX runs_request ON runs (tenant_id, request_key) WHERE request_key IS NOT NULL;
CREATE UNIQUE INDEX runs_feed ON runs (feed_pos);
CREATE INDEX runs_engine_ref ON runs (tenant_id, engine_run_ref)
  WHERE engine_run_ref <> engine_type || '://' || run_id;
CREATE INDEX runs_created ON runs (tenant_id, created_at);
CREATE INDEX runs_status ON runs (tenant_id, status, created_at);
CREATE INDEX runs_plan ON runs (tenant_id, plan_id, created_at);
CREATE INDEX runs_plan_status ON runs (tenant_id, plan_id, status, created_at);
CREATE INDEX runs_original ON runs (tenant_id, original_run_id, created_at) WHERE original_run_id IS NOT NULL;
CREATE INDEX runs_wake ON runs (next_wake_at)
  WHERE next_wake_at IS NOT NULL AND quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX runs_owed ON runs (lease_until)
  WHERE owed = 1 AND quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX runs_inbox ON runs (inbox_since)
  WHERE inbox_since IS NOT NULL AND quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX runs_ended_inbox ON runs (inbox_since)
  WHERE inbox_since IS NOT NULL AND quarantine IS NULL AND status IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX runs_archivable ON runs (ended_at)
  WHERE ended_at IS NOT NULL AND archived_at IS NULL AND status IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE UNIQUE INDEX sent_events_id ON sent_events (tenant_id, event_id);
CREATE INDEX sent_events_key ON sent_events (tenant_id, name, event_key, expires_at);
CREATE INDEX sent_events_kept ON sent_events (tenant_id, expires_at);
CREATE INDEX sent_events_over ON sent_events (expires_at);
CREATE INDEX event_waits_key ON event_waits (tenant_id, name, event_key);
CREATE INDEX run_labels_value ON run_labels (tenant_id, name, value, created_at, run_key);
CREATE TRIGGER events_never_change BEFORE UPDATE ON events
WHEN NOT (
  NEW.data IS NULL AND NEW.salt IS NULL
  AND NEW.run_key IS OLD.run_key AND NEW.seq IS OLD.seq AND NEW.event_type IS OLD.event_type
  AND NEW.idempotency_key IS OLD.idempotency_key AND NEW.record IS OLD.record AND NEW.chain_hash IS OLD.chain_hash
  AND NEW.terminal_slot IS OLD.terminal_slot AND NEW.persisted_at IS OLD.persisted_at
  AND EXISTS (SELECT 1 FROM erasure_tickets t WHERE t.run_key = OLD.run_key AND OLD.seq <= t.up_to_seq)
)
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: a stored event is never changed');
END;
CREATE TRIGGER events_never_go BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM archive_tickets t WHERE t.run_key = OLD.run_key AND t.archived = 0)
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: a stored event is never deleted');
END;
CREATE TRIGGER events_come_through_the_gate AFTER INSERT ON events
WHEN (SELECT open FROM log_gate WHERE one = 1) IS NOT 1
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: events are written by Keelson alone');
END;
CREATE TRIGGER archive_whole_run AFTER INSERT ON archive_tickets
BEGIN
  DELETE FROM events WHERE run_key = NEW.run_key;
  UPDATE archive_tickets SET archived = 1 WHERE run_key = NEW.run_key;
END;
CREATE TRIGGER archive_once BEFORE UPDATE ON archive_tickets
WHEN NEW.archived <> 1 OR NEW.run_key IS NOT OLD.run_key OR NEW.head_hash IS NOT OLD.head_hash
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: an archive ticket is used once');
END;
CREATE TRIGGER archive_only_ended BEFORE INSERT ON archive_tickets
WHEN NOT EXISTS (
  SELECT 1 FROM runs r WHERE r.run_key = NEW.run_key AND r.head_hash = NEW.head_hash
    AND r.status IN ('COMPLETED', 'FAILED', 'CANCELLED')
) OR NEW.archived <> 0
BEGIN
  SELECT RAISE(ABORT, 'EVENTS_APPEND_ONLY: an archive ticket must equal the head of an ended run');
END;
COMMIT;
PRAGMA application_id = 1264936300;
PRAGMA user_version = 18;
