"""Both ways of the module in ten lines, for check.sh. usage: try.py RINGS.npz"""
import sys

import numpy as np
import prism

r = prism.run('moon', image_size=64, object_size=64, roi=64, aperture_radius=6, snr=40)
z = np.load(sys.argv[1])
f = prism.reconstruct(z['ptychogram'], wavelength=float(z['wavelength']), na=float(z['NA']), hold_out=0, passes=2,
                      pixel=float(z['dxd'] / z['magnification']), positions=z['encoder'][:, ::-1], distance=float(z['zled']))
assert r.state == f.state == 'finished' and r.metrics['psnr'] > 40 and f.object.dtype == np.complex64
print(f'prism {prism.__version__}, Python {sys.version.split()[0]}: {r.metrics["psnr"]:.2f} dB, object {f.object.shape}')
