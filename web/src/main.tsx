/** Where the page begins. */
import { createRoot } from 'react-dom/client'
import { Page } from './frame/page.tsx'
import { applyKeptTheme } from './frame/theme.ts'

applyKeptTheme()
const place = document.getElementById('page')
if (place !== null) createRoot(place).render(<Page />)
