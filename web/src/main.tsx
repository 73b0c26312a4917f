/** Where the page begins. */
import { createRoot } from 'react-dom/client'
import { Page } from './frame/page.tsx'

const place = document.getElementById('page')
if (place !== null) createRoot(place).render(<Page />)
