/** Schedules in words: what people write most, and what is told by its parts. */
import { expect, it } from 'vitest'
import { sayWhen } from './say-when.ts'

it.each([
  ['30 2 * * *', 'at 02:30 every day'],
  ['@daily', 'at 00:00 every day'],
  ['0 9,17 * * mon-fri', 'at 09:00 and 17:00 on Monday to Friday'],
  ['0 6 * * 0,6', 'at 06:00 on Saturday and Sunday'],
  ['* * * * *', 'every minute'],
  ['*/15 * * * *', 'every 15 minutes'],
  ['@hourly', 'every hour'],
  ['0 */6 * * *', 'at 00:00, 06:00, 12:00 and 18:00 every day'],
  ['0 */2 * * *', 'every 2 hours'],
  ['5,35 * * * *', 'at 5 and 35 minutes past the hour'],
  ['*/10 8-17 * * 1-5', 'every 10 minutes, in the hours of 08:00 to 17:00 on Monday to Friday'],
  ['0 8-17 * * *', 'every hour of 08:00 to 17:00'],
  ['20 */2 * * *', 'at 20 minutes past the hour, every 2 hours'],
  ['0 0 1,15 * *', 'at 00:00 on day 1 and 15 of the month'],
  ['@yearly', 'at 00:00 on day 1 of the month in January'],
  ['0 0 13 * fri', 'at 00:00 on day 13 of the month or on Friday'],
  ['0 0 */16 * fri', 'at 00:00 on day 1 and 17 of the month if it is Friday'],
  ['0 0 * mar-may,12 *', 'at 00:00 every day in March to May and December'],
  ['not a cron line', 'not a cron line'],
])('says %s as %s', (cron, words) => {
  expect(sayWhen({ cron })).toBe(words)
})

it.each([
  ['1h', 'every hour'],
  ['15m', 'every 15 minutes'],
  ['90s', 'every 90 seconds'],
  ['36h', 'every 36 hours'],
  ['7d', 'every 7 days'],
  ['1500ms', 'every 1500ms'],
  ['often', 'every often'],
])('says every %s as %s', (every, words) => {
  expect(sayWhen({ every })).toBe(words)
})
