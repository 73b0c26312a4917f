/**
 * How pages are looked at: in both themes, wide and narrow. Colours depend on the theme and places on the width, so by default each theme has
 * one width; `KEELSON_TESTS=full` looks at all four.
 */
import { extent } from '../setup/extent.ts'

export const THEMES = ['light', 'dark'] as const
const WIDE = 1440
const NARROW = 360

export function widthsIn(theme: (typeof THEMES)[number]): readonly number[] {
  return extent([theme === 'light' ? WIDE : NARROW], [WIDE, NARROW])
}
