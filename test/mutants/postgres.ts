/** Faults planted in the PostgreSQL store: letters and pauses that a commit has not looked at, positions of the feed, lost answers. */
import type { Mutant } from './mutant.ts'

export const POSTGRES: readonly Mutant[] = [
  {
    name: 'PostgreSQL does not look for letters that a batch has not read',
    file: 'adapters/stores/postgres/sql/0023-turns-without-reads.sql',
    find: 'ELSIF v_row.unread THEN',
    replace: 'ELSIF false THEN',
    catcher: 'src/adapters/stores/postgres/unread.test.ts',
  },
  {
    name: 'PostgreSQL does not look for letters that a plain commit has not read',
    file: 'adapters/stores/postgres/sql/0024-plain-commits.sql',
    find: 'ELSIF v_run.unread THEN',
    replace: 'ELSIF false THEN',
    catcher: 'src/adapters/stores/postgres/unread.test.ts',
  },
  {
    name: 'PostgreSQL does not compare the position of a plain commit',
    file: 'adapters/stores/postgres/sql/0024-plain-commits.sql',
    find: ' OR v_run.next_seq <> p_expected',
    replace: '',
    catcher: 'src/adapters/stores/postgres/plain-commit.test.ts',
  },
  {
    name: 'the feed of PostgreSQL passes a transaction that is still open',
    file: 'adapters/stores/postgres/sql/0020-run-ids-of-tenants.sql',
    find: 'EXIT WHEN NOT FOUND OR v_next.generation = v_generation AND v_next.xid >= v_bound;',
    replace: 'EXIT WHEN NOT FOUND;',
    catcher: 'src/adapters/stores/postgres/feed.test.ts',
  },
  {
    name: 'PostgreSQL gives positions of the feed again after a dump and restore',
    file: 'adapters/stores/postgres/feed.ts',
    find: 'await session.query(RAISE)',
    replace: 'void session',
    catcher: 'src/adapters/stores/postgres/feed.test.ts',
  },
  {
    name: 'PostgreSQL sends a commit again whose connection was cut',
    file: 'adapters/stores/postgres/failure.ts',
    find: "['40001', '40P01'].includes",
    replace: "['40001', '40P01', '57P01'].includes",
    catcher: 'src/adapters/stores/postgres/two-batches.test.ts',
  },
]
