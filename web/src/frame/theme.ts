/** Light or dark: as the system says, until somebody chooses; a choice holds before the first picture. */
const KEPT = 'keelson.theme'
export type Theme = 'light' | 'dark'

/** Undefined: nobody has chosen. */
function keptTheme(): Theme | undefined {
  const kept = localStorage.getItem(KEPT)
  return kept === 'light' || kept === 'dark' ? kept : undefined
}

export function shownTheme(): Theme {
  return keptTheme() ?? (window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
}

/** Without a choice the styles follow the system by themselves, also when it changes. */
export function applyKeptTheme(): void {
  const kept = keptTheme()
  if (kept !== undefined) document.documentElement.dataset['theme'] = kept
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEPT, theme)
  applyKeptTheme()
}
