/**
 * A real Chromium for tests of the page. It is looked for in KEELSON_CHROMIUM_BIN, on PATH and where Debian puts it; then it is
 * installed by apt as root. A missing one fails the tests, in CI and elsewhere, and says how to get it.
 */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { installByApt } from './apt.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const PLACES = ['/usr/bin', '/usr/lib/chromium']
/**
 * What Playwright switches off itself (the last such switch is the only one that counts), and then the pages of Chromium's own address
 * bar: each window would load two of them, in processes of their own, and nobody types there.
 */
const OFF = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
]
const CANNOT = 'it is not installed and could not be obtained'

export async function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    // Chromium refuses its sandbox to root, and /dev/shm is small in containers.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', `--disable-features=${OFF.join(',')}`],
  })
}

function findChromium(): string {
  const given = process.env['KEELSON_CHROMIUM_BIN']
  if (given !== undefined && given !== '') return existsSync(given) ? given : missing(`${given} is not there`)
  return installed() ?? (installByApt('chromium') ? installed() : undefined) ?? missing(CANNOT)
}

function installed(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...PLACES]
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((path) => existsSync(path))
}

function missing(why: string): never {
  const line = `Chromium is needed by these tests: ${why}. Install it, or name its program in KEELSON_CHROMIUM_BIN.`
  process.stderr.write(`\n*** ${line} ***\n\n`)
  throw new Error(line)
}
