import { Link } from '@tanstack/react-router';
import { BrandMark } from '../parts/brand-mark.tsx';
import classes from './brand.module.css';

export function Brand() {
  return (
    <Link to="/" className={classes['brand']} aria-label="Phial, to the overview">
      <BrandMark size={28} />
      <span className={classes['name']}>Phial</span>
    </Link>
  );
}
